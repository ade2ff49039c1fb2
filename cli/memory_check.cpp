#include "cli/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grappa/base/error.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/graph/generate/generator.hpp"

namespace grappa::cli {
namespace {

[[noreturn]] void refuse(const GraphSource& source, std::uint64_t needed, std::uint64_t usable,
                         std::int64_t vertices, std::int64_t edges) {
  throw UsageError(
      fmt::format("{}: needs about {} of memory ({} vertices, {} edges), and {} are "
                  "usable",
                  source.name(), format_bytes(needed), vertices, edges, format_bytes(usable)));
}

// What the format says is known only after loading: the guess errs on the side of letting it try.
bool probably_directed(const graph::LoadOptions& options) {
  return options.directed.value_or(!graph::is_generator(options.path));
}

std::uint64_t list_bytes(const graph::EdgeList& list) {
  return list.edges.size() * sizeof(graph::Edge) + list.weights.size() * sizeof(double);
}

}  // namespace

std::uint64_t estimate_bytes(const graph::LoadEstimate& estimate, const graph::LoadOptions& options,
                             const std::optional<graph::BuildOptions>& build) {
  if (!estimate.known) return 0;
  if (!build) return estimate.bytes;
  return std::max(estimate.bytes, graph::build_memory_bytes(estimate.vertices, estimate.edges,
                                                            probably_directed(options), *build));
}

void check_memory(const GraphSource& source, const std::optional<graph::BuildOptions>& build,
                  bool always, const Report& report) {
  const graph::LoadOptions options = source.load_options();
  const graph::LoadEstimate estimate = graph::estimate_load(options);
  const std::uint64_t needed = estimate_bytes(estimate, options, build);
  const std::uint64_t usable = usable_memory_bytes();
  if (needed > usable) refuse(source, needed, usable, estimate.vertices, estimate.edges);
  if (!always && needed < kLargeBytes) return;
  if (estimate.known) {
    report.line("Memory", "about {} needed, {} usable", format_bytes(needed), format_bytes(usable));
  } else {
    report.line("Memory", "not known before it is read, {} usable", format_bytes(usable));
  }
}

void check_build_memory(const GraphSource& source, const graph::EdgeList& list,
                        const graph::BuildOptions& build) {
  const auto edges = static_cast<std::int64_t>(list.edges.size());
  const std::uint64_t needed =
      graph::build_memory_bytes(list.vertex_count, edges, list.directed, build);
  const std::uint64_t usable = usable_memory_bytes() + list_bytes(list);
  if (needed > usable) refuse(source, needed, usable, list.vertex_count, edges);
}

}  // namespace grappa::cli
