#pragma once

// Samples of a run over time: as JSON for programs, and as a figure.
//
//   object["series"] = series_json(run_series());
//   file.write(svg(series_chart("bfs kron:20", run_series())));

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/plot.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::cli {

/// An object a locale, with the times of its samples and, for each of its cores, a list for each
/// thing that is counted. Tasks are those of that moment. Messages, bytes and the shares of time
/// belong to the period that ends then.
nlohmann::ordered_json series_json(const std::vector<LocaleSeries>& series);

/// Tasks, messages and bytes: a panel each, with a line a locale and one for all.
Chart series_chart(const std::string& title, const std::vector<LocaleSeries>& series);

}  // namespace grappa::cli
