#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/formats/writers.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {

void write_lines(OutputFile& out, std::int64_t n, const ParallelFor& parallel,
                 const std::function<void(std::string& buffer, std::int64_t i)>& format) {
  constexpr std::int64_t kGrain = 1 << 15;  // lines
  constexpr std::int64_t kBuffers = 32;     // at a time
  std::vector<std::string> buffers(kBuffers);
  for (std::int64_t first = 0; first < n; first += kGrain * kBuffers) {
    const std::int64_t lines = std::min(n - first, kGrain * kBuffers);
    for_ranges(parallel, lines, kGrain, [&](std::int64_t begin, std::int64_t end) {
      std::string& buffer = buffers[static_cast<std::size_t>(begin / kGrain)];
      buffer.clear();
      for (std::int64_t i = begin; i < end; ++i) format(buffer, first + i);
    });
    for (std::int64_t i = 0; i * kGrain < lines; ++i) {
      out.write(buffers[static_cast<std::size_t>(i)]);
    }
  }
}

void append_weight(std::string& buffer, double weight) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (weight == std::floor(weight) && std::fabs(weight) < kExact) {
    if (weight < 0) buffer += '-';
    append_integer(buffer, static_cast<std::uint64_t>(std::fabs(weight)));
    return;
  }
  char text[32];
  const auto result = std::to_chars(text, text + sizeof(text), weight);
  buffer.append(text, result.ptr);
}

std::string note_renumbered(const EdgeList& list, std::uint64_t first) {
  const VertexNames& names = list.names;
  const bool same = names.size() > 0 && names.is_integer() && names.integer(0) == first &&
                    names.integer(static_cast<VertexId>(names.size() - 1)) ==
                        first + static_cast<std::uint64_t>(names.size()) - 1;
  if (same) return {};
  return fmt::format("vertices are renumbered {} ... {}, in the order of their names", first,
                     first + static_cast<std::uint64_t>(list.vertex_count) - 1);
}

std::string note_isolated(const EdgeList& list) {
  std::vector<std::uint8_t> has_edge(static_cast<std::size_t>(list.vertex_count), 0);
  for (const Edge& edge : list.edges) has_edge[edge.source] = has_edge[edge.target] = 1;
  const auto isolated = std::count(has_edge.begin(), has_edge.end(), 0);
  if (isolated == 0) return {};
  return fmt::format("{} without edges {} left out: the format lists only edges",
                     counted(isolated, "vertex"), isolated == 1 ? "is" : "are");
}

std::string join_notes(const std::string& first, const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  return first + "; " + second;
}

void check_integer_weights(const EdgeList& list, double least, double most,
                           const std::string& path) {
  for (const double weight : list.weights) {
    if (weight == std::floor(weight) && weight >= least && weight <= most) continue;
    throw UsageError(fmt::format("{}: a weight is {}, but this format has integers from {} to {}",
                                 path, weight, least, most));
  }
}

}  // namespace grappa::graph::io
