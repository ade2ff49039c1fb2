// bench graph500: the Graph500 benchmark.
//
// As its specification has it (version 2.0, graph500.org): an edge list is generated (not timed), a
// graph built from it (kernel 1), and searched from up to 64 random vertices that have a neighbor:
// breadth first (kernel 2), and then from the same ones for shortest paths (kernel 3). The result
// of every search is validated against the edge list (graph500_validator.hpp; not timed), and one
// that breaks a rule ends the benchmark. A search traverses as many edges as the input has in its
// component, equal ones and self-loops included, though the graph is built without these. Every
// search is run and timed once, after one that is not.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bench/graph500_graph.hpp"
#include "bench/graph500_input.hpp"
#include "bench/graph500_searches.hpp"
#include "bench/graph500_statistics.hpp"
#include "bench/graph500_validator.hpp"
#include "bench/registry.hpp"
#include "bench/with_mpi.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/graph/build.hpp"
#include "grappa/graph/kernel/bfs.hpp"
#include "grappa/graph/kernel/shortest_path_tree.hpp"
#include "grappa/graph/kernel/sssp.hpp"

namespace grappa::bench {
namespace {

using graph::EdgeParts;
using graph::Graph;
using graph::kMaxGeneratedEdges;
using graph::kMaxScale;
using graph::VertexId;

constexpr double kDisturbed = 0.02;  // fraction of a processor's time

double seconds_since(std::uint64_t start) {
  return static_cast<double>(internal::now_ns() - start) * 1e-9;
}

void print(std::string_view label, const Graph500Statistics& s, double unit,
           std::string_view format_of_numbers) {
  const auto number = [&](double x) {
    const double scaled = x * unit;
    return fmt::format(fmt::runtime(format_of_numbers), scaled);
  };
  fmt::print("  {:<18}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", label, number(s.min),
             number(s.first_quartile), number(s.median), number(s.third_quartile), number(s.max),
             number(s.mean), number(s.deviation));
}

void print(const Graph500Searches& searches, int kernel) {
  const auto rates = graph500_rates(searches.edges, searches.seconds);
  fmt::print("Kernel {}:  {} from {} keys: {:.1f} MTEPS (harmonic mean)\n", kernel, searches.name,
             searches.seconds.size(), rates.mean * 1e-6);
  fmt::print("  {:<18}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "", "min", "quartile",
             "median", "quartile", "max", "mean", "deviation");
  print("time (ms)", Graph500Statistics::of(searches.seconds), 1e3, "{:.3f}");
  print("input edges", Graph500Statistics::of(searches.edges), 1, "{:.0f}");
  print("MTEPS (harmonic)", rates, 1e-6, "{:.1f}");
  print("validation (ms)", Graph500Statistics::of(searches.validation_seconds), 1e3, "{:.1f}");
  if (searches.stolen > kDisturbed)
    fmt::print("  (the host took {:.0f} % of a processor's time meanwhile)\n",
               searches.stolen * 100);
}

/// By the names that the specification's reference code prints.
void put(nlohmann::json& to, std::string_view what, const Graph500Statistics& s,
         std::string_view harmonic = "") {
  const auto name = [&](std::string_view of) { return fmt::format("{}_{}", of, what); };
  to[name("min")] = s.min;
  to[name("firstquartile")] = s.first_quartile;
  to[name("median")] = s.median;
  to[name("thirdquartile")] = s.third_quartile;
  to[name("max")] = s.max;
  to[fmt::format("{}mean_{}", harmonic, what)] = s.mean;
  to[fmt::format("{}stddev_{}", harmonic, what)] = s.deviation;
}

nlohmann::json json_of(const Graph500Searches& searches) {
  nlohmann::json object;
  put(object, "time", Graph500Statistics::of(searches.seconds));
  put(object, "nedge", Graph500Statistics::of(searches.edges));
  put(object, "TEPS", graph500_rates(searches.edges, searches.seconds), "harmonic_");
  put(object, "validate", Graph500Statistics::of(searches.validation_seconds));
  object["stolen"] = searches.stolen;
  return object;
}

class Graph500 final : public Benchmark {
 public:
  Graph500() : Benchmark("graph500", "the Graph500 benchmark, traversed edges a second (TEPS)") {}

  void add_options(Options& options) override {
    options.add_count("--scale", scale_, 1, kMaxScale, "the graph has 2^SCALE vertices");
    options.add_count("--edge-factor", edge_factor_, 1, kMaxGeneratedEdges,
                      "edges a vertex; 16 in the specification");
    options.add_count("--keys", keys_, 1, 1'000'000,
                      "vertices to search from; 64 in the specification");
    options.add_choice("--kernel", kernel_, {"bfs", "sssp", "all"},
                       "kernel 2, kernel 3, or both after one another");
    options.add_count("--seed", seed_, 0, std::numeric_limits<std::int64_t>::max(),
                      "of the edges, their weights and the keys");
  }

  nlohmann::json run(const Config& config, bool quiet) override {
    if (edge_factor_ > kMaxGeneratedEdges >> scale_)
      throw UsageError(fmt::format("--edge-factor {}: from 1 to {}", edge_factor_,
                                   kMaxGeneratedEdges >> scale_));
    nlohmann::json report;
    grappa::run(config, [&] { report = measure(quiet); });
    return report;
  }

 private:
  nlohmann::json measure(bool quiet) const {
    require_memory();
    const bool weighted = kernel_ != "bfs";
    const Graph500Input input(scale_, edge_factor_, static_cast<std::uint64_t>(seed_));
    std::uint64_t start = internal::now_ns();
    EdgeParts list = input.make_list(weighted);
    const double generation = seconds_since(start);

    start = internal::now_ns();
    const Owned<Graph> owned = graph500_construct(list);
    const Graph& graph = *owned;
    const double construction = seconds_since(start);
    list = {};
    const std::vector<VertexId> keys =
        graph500_keys(graph, keys_, static_cast<std::uint64_t>(seed_));
    if (keys.empty()) throw UsageError("no vertex of the graph has an edge to another");
    if (!quiet) {
      fmt::print("Graph:     scale {}, edge factor {}: {} edges, generated in {:.3f} s\n", scale_,
                 edge_factor_, input.edge_count(), generation);
      fmt::print("Kernel 1:  construction in {:.3f} s: {} vertices, {} edges, {} cores\n",
                 construction, graph.vertex_count(), graph.edge_count(), core_count());
    }
    nlohmann::json trials = nlohmann::json::array();
    nlohmann::json result = {{"SCALE", scale_},
                             {"edgefactor", edge_factor_},
                             {"graph_generation", generation},
                             {"num_mpi_processes", runs_on_mpi() ? locale_count() : 1},
                             {"construction_time", construction},
                             {"edges", graph.edge_count()}};
    const Owned<Graph500Validator> validator = Graph500Validator::create(graph.vertex_count());
    const auto report_of = [&](const Graph500Searches& searches, int kernel) {
      if (!quiet) print(searches, kernel);
      result[searches.name] = json_of(searches);
      result[kernel == 2 ? "NBFS" : "NSSSP"] = keys.size();
      for (std::size_t i = 0; i < keys.size(); ++i)
        trials.push_back({{"kernel", searches.name},
                          {"key", keys[i]},
                          {"seconds", searches.seconds[i]},
                          {"edges", searches.edges[i]},
                          {"validation_seconds", searches.validation_seconds[i]}});
    };
    if (kernel_ != "sssp")
      report_of(graph500_search<BreadthFirst>(graph, input, keys, *validator), 2);
    if (kernel_ != "bfs")
      report_of(graph500_search<ShortestPaths>(graph, input, keys, *validator), 3);
    result["checked"] = true;
    if (!quiet)
      fmt::print("Checked:   every tree by the five rules, against all {} edges of the input\n",
                 input.edge_count());
    return {{"cores", core_count()},
            {"locales", locale_count()},
            {"trials", std::move(trials)},
            {"result", std::move(result)}};
  }

  /// For the construction, which needs the most.
  void require_memory() const {
    const auto edges = edge_factor_ << scale_;
    const auto weights = kernel_ == "bfs" ? graph::WeightType::kNone : graph::WeightType::kWord;
    // Simulated locales share one machine.
    const auto machines = static_cast<std::uint64_t>(
        internal::here().locale.config.is_simulated() ? 1 : locale_count());
    const std::uint64_t needed =
        graph::build_memory_bytes(std::int64_t{1} << scale_, edges, false, weights, {}) / machines;
    const std::uint64_t usable = internal::usable_memory_bytes();
    if (needed > usable)
      throw UsageError(
          fmt::format("--scale {}: takes {} in each of {} processes, and {} are usable", scale_,
                      internal::format_bytes(needed), machines, internal::format_bytes(usable)));
  }

  int scale_ = 18;
  std::int64_t edge_factor_ = 16;
  int keys_ = 64;
  std::string kernel_ = "all";
  std::int64_t seed_ = 1;
};

const Graph500 graph500;

}  // namespace
}  // namespace grappa::bench
