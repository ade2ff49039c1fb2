#pragma once

// The MapReduce commands of the tool.

#include <nanobind/nanobind.h>

namespace grappa::python {

/// count_words(session, files, lower, letters, ngrams, top) -> texts as offsets and bytes, and how
/// often each occurs; all where top is below 0.
/// sort_files(session, files, out, by, column, separator, reverse, skip_bad_records) -> a dict.
/// kmeans(session, points, k, start, centers, seed, iterations, tolerance) -> centers in one row,
/// labels, inertia, iterations, whether they converged.
void add_mapreduce(nanobind::module_& module);

}  // namespace grappa::python
