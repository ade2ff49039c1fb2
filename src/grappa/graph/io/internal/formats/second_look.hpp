#pragma once

// A slow second look at a file that was found to be wrong as a whole, for the line to name.
//
//   throw InputError(file, line_of_second(file, 7), "vertex 7 is listed twice");
//
// The file is known to be well-formed line by line. What cannot be read twice, such as standard
// input, has no line.

#include <cstdint>
#include <string>

namespace grappa::graph::io {

/// The second line of an LDBC file of vertices that lists `vertex`; 0 where that is not found.
std::int64_t line_of_second(const std::string& path, std::uint64_t vertex);

struct OneSidedEdge {
  std::int64_t line = 0;  // 0: not found
  std::int64_t vertex = 0;
  std::int64_t neighbor = 0;
};
/// The first line of a METIS file that has an edge which the line of its other end does not have,
/// or with another weight.
OneSidedEdge find_one_sided_edge(const std::string& path);

}  // namespace grappa::graph::io
