#include "grappa/graph/io/internal/formats/gap_file.hpp"

#include <fmt/format.h>
#include <iterator>

#include <bit>
#include <cstring>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {

GapHeader parse_gap_header(std::string_view bytes, const std::string& file) {
  static_assert(std::endian::native == std::endian::little);
  if (bytes.size() < kGapHeaderBytes) {
    throw InputError(file, 0,
                     fmt::format("truncated: {}, the header alone has {}",
                                 counted(std::ssize(bytes), "byte"), kGapHeaderBytes));
  }
  GapHeader header;
  const auto directed = static_cast<unsigned char>(bytes[0]);
  std::memcpy(&header.arcs, bytes.data() + 1, sizeof(header.arcs));
  std::memcpy(&header.vertices, bytes.data() + 9, sizeof(header.vertices));
  constexpr std::int64_t kMaxArcs = std::int64_t{1} << 48;
  if (directed > 1 || header.arcs < 0 || header.arcs > kMaxArcs || header.vertices < 1 ||
      header.vertices > kMaxGapVertices) {
    throw InputError(file, 0,
                     fmt::format("not a serialized graph of the GAP Benchmark Suite (directed {}, "
                                 "{} arcs, {} vertices)",
                                 directed, header.arcs, header.vertices));
  }
  header.directed = directed == 1;
  return header;
}

std::uint64_t gap_arrays_bytes(const GapHeader& header, bool weighted) {
  const std::uint64_t neighbor = weighted ? 8 : 4;
  return 8 * (static_cast<std::uint64_t>(header.vertices) + 1) +
         neighbor * static_cast<std::uint64_t>(header.arcs);
}

std::uint64_t gap_file_bytes(const GapHeader& header, bool weighted) {
  return kGapHeaderBytes + (header.directed ? 2 : 1) * gap_arrays_bytes(header, weighted);
}

}  // namespace grappa::graph::io
