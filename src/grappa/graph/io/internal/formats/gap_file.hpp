#pragma once

// The layout of the GAP Benchmark Suite's serialized graphs, .sg and .wsg, little-endian and
// without padding:
//   bool  directed                1 byte, 0 or 1
//   int64 arcs                    of an undirected graph: twice the edges
//   int64 vertices
//   int64 offsets[vertices + 1]   into the neighbors, by source
//   int32 neighbors[arcs]        in a .wsg: {int32 neighbor, int32 weight}
//   if directed, offsets and neighbors again, by target

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace grappa::graph::io {

inline constexpr std::size_t kGapHeaderBytes = 17;
inline constexpr std::int64_t kMaxGapVertices = 2147483647;

struct GapHeader {
  bool directed = false;
  std::int64_t arcs = 0;
  std::int64_t vertices = 0;
};

/// Of the first bytes of a file; InputError if they cannot be such a header.
GapHeader parse_gap_header(std::string_view bytes, const std::string& file);

/// Of offsets and neighbors, by source or by target.
std::uint64_t gap_arrays_bytes(const GapHeader& header, bool weighted);

/// Bytes of the whole file; the counts must be plausible (parse_gap_header has seen to that).
std::uint64_t gap_file_bytes(const GapHeader& header, bool weighted);

}  // namespace grappa::graph::io
