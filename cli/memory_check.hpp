#pragma once

// The memory that a graph will need, estimated before it is read.
//
//   check_memory(source, build_options, false, report);
//
// Called by a task inside of a run. UsageError, naming what is needed and what there is, where it
// will not fit. Where the estimate was too low, build_graph says so: it knows what it needs.

#include <cstdint>
#include <optional>

#include "cli/graph_source.hpp"
#include "cli/report.hpp"
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/load/internal/load_estimate.hpp"

namespace grappa::cli {

/// Above this, the estimate is worth a line even if nobody asked.
inline constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 30;

/// Nothing to be built: the edge list is all that is wanted.
inline constexpr std::nullopt_t kNoBuild = std::nullopt;

/// The most memory in use while loading and building; 0 where the loader cannot tell.
std::uint64_t estimate_bytes(const graph::LoadEstimate& estimate, const graph::LoadOptions& options,
                             const std::optional<graph::BuildOptions>& build);

/// Prints the estimate where it is large or `always`.
void check_memory(GraphSource& source, const std::optional<graph::BuildOptions>& build, bool always,
                  Report& report);

}  // namespace grappa::cli
