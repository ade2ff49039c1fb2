#include "cli/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "grappa/base/error.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/this_machine.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/load/internal/load_stored.hpp"

namespace grappa::cli {
namespace {

// What the format says is known only after loading: the guess errs on the side of letting it try.
bool probably_directed(const graph::LoadOptions& options) {
  return options.directed.value_or(!graph::is_generator(options.path));
}

struct MachineMemory {
  std::uint64_t machine = 0;
  std::uint64_t usable = 0;
};

// Tells the machine of this process from others.
std::uint64_t machine_number() { return std::hash<std::string>{}(internal::this_machine()); }

// The memory of the machines of all locales; a machine with several locales counts once.
std::uint64_t usable_on_all_machines() {
  std::map<std::uint64_t, std::uint64_t> usable;
  for (const MachineMemory& of_locale : graph::gather_locales(
           [] { return MachineMemory{machine_number(), internal::usable_memory_bytes()}; })) {
    usable[of_locale.machine] = of_locale.usable;
  }
  std::uint64_t sum = 0;
  for (const auto& [machine, bytes] : usable) sum += bytes;
  return sum;
}

}  // namespace

std::uint64_t estimate_bytes(const graph::LoadEstimate& estimate, const graph::LoadOptions& options,
                             const std::optional<graph::BuildOptions>& build) {
  if (!estimate.known) return 0;
  if (!build) return estimate.bytes;
  const auto weights = options.want_weights ? graph::WeightType::kByte : graph::WeightType::kNone;
  return std::max(estimate.bytes,
                  graph::build_memory_bytes(estimate.vertices, estimate.edges,
                                            probably_directed(options), weights, *build));
}

void check_memory(GraphSource& source, const std::optional<graph::BuildOptions>& build, bool always,
                  Report& report) {
  if (source.is_query()) return;  // nothing is known before it is answered
  graph::GraphInput& input = source.input();
  const graph::LoadEstimate estimate = graph::estimate_load(input);
  const auto stored = build ? graph::stored_graph_bytes(input, *build) : std::nullopt;
  const std::uint64_t needed = stored ? *stored : estimate_bytes(estimate, input.options, build);
  const std::uint64_t usable = usable_on_all_machines();
  if (needed > usable) {
    throw UsageError(
        fmt::format("{}: needs about {} of memory ({} vertices, {} edges), and {} are usable",
                    source.name(), internal::format_bytes(needed), estimate.vertices,
                    estimate.edges, internal::format_bytes(usable)));
  }
  if (!always && needed < kLargeBytes) return;
  if (estimate.known) {
    report.line("Memory", "about {} needed, {} usable", internal::format_bytes(needed),
                internal::format_bytes(usable));
  } else {
    report.line("Memory", "not known before it is read, {} usable", internal::format_bytes(usable));
  }
}

}  // namespace grappa::cli
