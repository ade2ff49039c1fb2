#pragma once

// What the fuzz targets of the graph readers share.
//
//   extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
//     return fuzz_reader(data, size, [](io::Input input, const io::ReadOptions& options) { ... });
//   }
//
// The first byte of the input chooses the options, the rest is the file. A reader may refuse it
// with an InputError; whatever it accepts must be sound. Anything else is a finding.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/io/input.hpp"
#include "grappa/io/text/line_reader.hpp"

namespace grappa::graph {

struct FuzzChoices {
  bool flag = false;  // for the target itself
  io::ReadOptions read = {};
  io::LineReaderOptions lines = {};
};

inline FuzzChoices fuzz_choices(std::uint8_t byte) {
  FuzzChoices choices;
  choices.flag = (byte & 1) != 0;
  choices.read.want_weights = (byte & 2) != 0;
  if ((byte & 4) != 0) choices.read.directed = (byte & 8) != 0;
  choices.read.chunk_bytes = (byte & 16) != 0 ? 16 : 1 << 20;
  choices.lines.block_bytes = (byte & 32) != 0 ? 32 : 1 << 20;
  choices.lines.max_line_bytes = (byte & 64) != 0 ? 100 : 1 << 20;
  return choices;
}

inline void check_sound(const EdgeList& list) {
  bool sound = list.names.size() == list.vertex_count &&
               (list.vertex_count > 0 || list.edges.empty()) && list.vertex_count <= kMaxVertices &&
               (list.weights.empty() || list.weights.size() == list.edges.size());
  for (const Edge& edge : list.edges) {
    sound = sound && edge.source < list.vertex_count && edge.target < list.vertex_count &&
            list.names.find(list.names.name(edge.source)) == edge.source;
  }
  for (const double weight : list.weights) sound = sound && weight == weight;
  if (!sound) std::abort();
}

template <class Read>
int fuzz_reader(const std::uint8_t* data, std::size_t size, const Read& read) {
  if (size < 2) return 0;
  const FuzzChoices choices = fuzz_choices(data[0]);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  // Compressed data is another target's business.
  if (io::is_gzip(bytes) || io::is_zstd(bytes)) return 0;
  try {
    check_sound(read(io::Input::from_memory(bytes), choices));
  } catch (const InputError&) {
    // Refused, as it should be.
  }
  return 0;
}

}  // namespace grappa::graph
