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
#include <string_view>

#include "bench/graph500_graph.hpp"
#include "bench/graph500_input.hpp"
#include "bench/graph500_searches.hpp"
#include "bench/graph500_statistics.hpp"
#include "bench/graph500_validator.hpp"
#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "bench/with_mpi.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/sssp/shortest_path_tree.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/build/build.hpp"

namespace grappa::bench {
namespace {

using graph::EdgeParts;
using graph::Graph;
using graph::kMaxGeneratedEdges;
using graph::kMaxScale;
using graph::VertexId;

constexpr double kDisturbed = 0.02;  // fraction of a processor's time

/// One of the specification's figures: a row for people, who see `unit` times the values, and facts
/// by the names that its reference code prints.
struct Statistic {
  const char* title;
  std::string name;
  std::string harmonic;  // before the names of means that are
  double unit;
  const char* format;
};

void say(const Statistic& statistic, const Graph500Statistics& s, Table& table,
         nlohmann::json& facts) {
  std::vector<std::string> cells = {statistic.title};
  const auto put = [&](const std::string& of, double value) {
    facts[fmt::format("{}_{}", of, statistic.name)] = value;
    cells.push_back(fmt::format(fmt::runtime(statistic.format), value * statistic.unit));
  };
  put("min", s.min);
  put("firstquartile", s.first_quartile);
  put("median", s.median);
  put("thirdquartile", s.third_quartile);
  put("max", s.max);
  put(statistic.harmonic + "mean", s.mean);
  put(statistic.harmonic + "stddev", s.deviation);
  table.write(std::move(cells));
}

void say(const Graph500Searches& searches, int kernel, Report& report) {
  const auto rates = graph500_rates(searches.edges, searches.seconds);
  report.line(fmt::format("Kernel {}", kernel), "{} from {} keys: {:.1f} MTEPS (harmonic mean)",
              searches.name, fact(kernel == 2 ? "NBFS" : "NSSSP", searches.seconds.size()),
              rates.mean * 1e-6);
  Table table(report, "",
              {{.head = "", .left = true},
               {"min"},
               {"quartile"},
               {"median"},
               {"quartile"},
               {"max"},
               {"mean"},
               {"deviation"}});
  nlohmann::json& facts = report.at(searches.name);
  say({"time (ms)", "time", "", 1e3, "{:.3f}"}, Graph500Statistics::of(searches.seconds), table,
      facts);
  say({"input edges", "nedge", "", 1, "{:.0f}"}, Graph500Statistics::of(searches.edges), table,
      facts);
  say({"MTEPS (harmonic)", "TEPS", "harmonic_", 1e-6, "{:.1f}"}, rates, table, facts);
  say({"validation (ms)", "validate", "", 1e3, "{:.1f}"},
      Graph500Statistics::of(searches.validation_seconds), table, facts);
  table.print();
  facts["stolen"] = searches.stolen;
  if (searches.stolen > kDisturbed)
    report.line("Host", "took {:.0f} % of a processor's time meanwhile", searches.stolen * 100);
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

  void run(const Config& config, Report& report) override {
    if (edge_factor_ > kMaxGeneratedEdges >> scale_)
      throw UsageError(fmt::format("--edge-factor {}: from 1 to {}", edge_factor_,
                                   kMaxGeneratedEdges >> scale_));
    grappa::run(config, [&] { measure(report); });
  }

 private:
  void measure(Report& report) const {
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
    cli::print_cores(report);
    report.line("Graph", "scale {}, edge factor {}: {} edges, generated in {:.3f} s",
                fact("SCALE", scale_), fact("edgefactor", edge_factor_), input.edge_count(),
                fact("graph_generation", generation));
    report.line("Kernel 1", "construction in {:.3f} s: {} vertices, {} edges",
                fact("construction_time", construction), graph.vertex_count(),
                fact("edges", graph.edge_count()));
    report.set("num_mpi_processes", runs_on_mpi() ? locale_count() : 1);
    const Owned<Graph500Validator> validator = Graph500Validator::create(graph.vertex_count());
    const auto report_on = [&](const Graph500Searches& searches, int kernel) {
      say(searches, kernel, report);
      for (std::size_t i = 0; i < keys.size(); ++i)
        report.at("/trials").push_back({{"kernel", searches.name},
                                        {"key", keys[i]},
                                        {"seconds", searches.seconds[i]},
                                        {"edges", searches.edges[i]},
                                        {"validation_seconds", searches.validation_seconds[i]}});
    };
    if (kernel_ != "sssp")
      report_on(graph500_search<BreadthFirst>(graph, input, keys, *validator), 2);
    if (kernel_ != "bfs")
      report_on(graph500_search<ShortestPaths>(graph, input, keys, *validator), 3);
    report.line("Checked", "every tree by the five rules, against all {} edges of the input",
                fact("checked", true, input.edge_count()));
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
