#pragma once

// Tables from text files: CSV, and those whose lines are rows (TextOptions::lines,
// line_fields.hpp).
//
//   // on the first core of every locale:
//   const Table table = load_text({"parts/*.csv.zst"}, {}, parallel, exchange);
//
// Files, plain, .gz or .zst, patterns of them, and standard input ("-"); the rows of all of them,
// in their order within a locale. Types of columns that are not given are what a look at the
// beginning of the first file says; where values further on are of no such type, the column is
// loaded again with one that holds all of them.
//
// Errors, the same on every locale: InputError for what cannot be read, rows with another number of
// fields, what is not valid UTF-8, values that are not of a type that is given; UsageError for
// options that name columns that there are not; Cancelled (parallel/cancellation.hpp). Collective;
// supersteps of the exchange; switches tasks.

#include <string>
#include <vector>

#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/query/io/text_format.hpp"
#include "grappa/query/progress.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

Table load_text(const std::vector<std::string>& paths, const TextOptions& options,
                const io::ParallelFor& parallel, const Exchange& exchange,
                Progress* progress = nullptr);

}  // namespace grappa::query
