#pragma once

// MapReduce: datasets on all cores, what is done with all of their values at once, and what is made
// of it. docs/tutorial.md teaches it; everything is in namespace grappa::mapreduce.

#include "grappa/grappa.hpp"
#include "grappa/mapreduce/bad_record.hpp"
#include "grappa/mapreduce/csv.hpp"
#include "grappa/mapreduce/dataset.hpp"
#include "grappa/mapreduce/kept.hpp"
#include "grappa/mapreduce/kmeans/kmeans.hpp"
#include "grappa/mapreduce/kmeans/points.hpp"
#include "grappa/mapreduce/map_reduce.hpp"
#include "grappa/mapreduce/sort/sort_text.hpp"
#include "grappa/mapreduce/word_count.hpp"
#include "grappa/mapreduce/words.hpp"
