#pragma once

// Points in binary files.
//
//   int dimensions = 0;
//   read_point_file("points.npy", true, blocks, dimensions);
//
// Every locale maps the file, and each core takes its rows of it.

#include <string>

#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/mapreduce/kmeans/points.hpp"

namespace grappa::mapreduce::detail {

/// `numpy`: the file says how many columns it has; else they are `dimensions`. Called by one task;
/// switches tasks. InputError.
void read_point_file(const std::string& path, bool numpy, const CoreState<PointBlocks>& blocks,
                     int& dimensions);

}  // namespace grappa::mapreduce::detail
