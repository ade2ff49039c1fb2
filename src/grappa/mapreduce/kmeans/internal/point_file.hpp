#pragma once

// Points in binary files.
//
//   int dimensions = 0;
//   read_point_files({"a.npy", "b.npy"}, true, blocks, dimensions);
//
// Every locale maps the files, and each core takes its rows of all.

#include <string>
#include <vector>

#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/mapreduce/kmeans/points.hpp"

namespace grappa::mapreduce::detail {

/// `numpy`: the files say how many columns they have, all the same; else they are `dimensions`.
/// Called by one task; switches tasks. InputError.
void read_point_files(const std::vector<std::string>& paths, bool numpy,
                      const CoreState<PointBlocks>& blocks, int& dimensions);

}  // namespace grappa::mapreduce::detail
