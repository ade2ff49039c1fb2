// bench vertex-programs: what the frameworks for graph algorithms cost.
//
// The same algorithms written by hand and as programs: PageRank (20 iterations over all vertices;
// and to a tolerance, with delta caching), breadth-first search top-down, shortest paths (in
// buckets; and in rounds, as Bellman and Ford), components by label propagation. Check: programs
// and kernels have the same depths, distances, labels, and ranks within rounding or tolerance.

#include <fmt/format.h>

#include <cmath>

#include "bench/label_propagation.hpp"
#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/framework/programs/program_kernels.hpp"
#include "grappa/graph/framework/vertex_map.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/grappa.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::bench {
namespace {

using graph::Engine;
using graph::Graph;
using graph::VertexId;
using graph::VertexView;

constexpr std::int64_t kIterations = 20;
constexpr double kDamping = 0.85;
constexpr double kOneBucket = 1e300;

/// A top-down search as an edge_map program.
struct Visit {
  VertexView<VertexId> parent;
  void bind() { parent.bind(); }
  bool cond(VertexId v) const { return graph::load_shared(parent[v]) == graph::kNoVertex; }
  bool update_atomic(VertexId v, const auto& arc) const {
    return graph::claim_shared(parent[v], graph::kNoVertex, arc.source);
  }
};

/// Runs it; returns how many vertices it reached.
std::int64_t search_by_edge_map(const Graph& graph, VertexId source) {
  const Owned<GlobalArray<VertexId>> parent = graph.make_vertex_array_for_overwrite<VertexId>();
  std::int64_t reached = 0;
  graph::Frontiers frontiers(graph);
  on_all_cores([parent = *parent] { std::ranges::fill(parent.local(), graph::kNoVertex); });
  delegate::write((*parent)[source], source);
  graph::Frontier frontier = frontiers.of(source);
  while (!frontier.empty()) {
    reached += frontier.size();
    frontier =
        edge_map(frontier, Visit{VertexView(*parent)}, {.direction = graph::Direction::kPush});
  }
  return reached;
}

/// One iteration of PageRank as an edge_map program: values are those of before the round, so that
/// new ranks can be written at once.
struct NewRank {
  using Value = double;
  VertexView<double> rank;
  VertexView<double> inverse_degree;  // 0 without out-edges
  double everybody;
  void bind() {
    rank.bind();
    inverse_degree.bind();
  }
  static Value nothing() { return 0; }
  Value value(VertexId u) const { return rank[u] * inverse_degree[u]; }
  bool pull(VertexId v, const auto& arcs) const {
    double sum = 0;
    arcs.for_each([&](const auto& arc) {
      sum += arc.value;
      return true;
    });
    rank[v] = everybody + kDamping * sum;
    return true;
  }
};

Owned<GlobalArray<double>> ranks_by_edge_map(const Graph& graph) {
  const auto n = static_cast<double>(graph.vertex_count());
  Owned<GlobalArray<double>> ranks = graph.make_vertex_array<double>();
  const Owned<GlobalArray<double>> inverses = graph.make_vertex_array<double>();
  const VertexView<double> rank(*ranks);
  const VertexView<double> inverse(*inverses);
  graph::Frontiers frontiers(graph);
  graph::Frontier all = frontiers.all();
  vertex_map(all, [graph, n, rank, inverse](VertexId v) {
    const auto degree = static_cast<double>(graph.out().degree(v));
    inverse[v] = degree == 0 ? 0 : 1 / degree;
    rank[v] = 1 / n;
  });
  for (std::int64_t i = 0; i < kIterations; ++i) {
    const double dangling = reduce_cores(
        [rank = *ranks, inverse = *inverses] {
          double mine = 0;
          for (std::size_t k = 0; k < rank.local().size(); ++k) {
            if (inverse.local()[k] == 0) mine += rank.local()[k];
          }
          return mine;
        },
        0.0, std::plus<>());
    edge_map(all, NewRank{rank, inverse, (1 - kDamping + kDamping * dangling) / n},
             {.direction = graph::Direction::kPull});
  }
  return ranks;
}

/// The sum of absolute differences.
double difference(const GlobalArray<double>& a, const GlobalArray<double>& b, std::int64_t n) {
  const auto left = graph::collect(a, n);
  const auto right = graph::collect(b, n);
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) sum += std::abs(left[i] - right[i]);
  return sum;
}

[[noreturn]] void fail(const std::string& what) {
  throw Error("bench vertex-programs: " + what + " differs from the hand-written kernel");
}

class VertexPrograms final : public Benchmark {
 public:
  VertexPrograms()
      : Benchmark("vertex-programs", "graph algorithms as programs, beside hand-written ones") {}

  void add_options(Options& options) override {
    options.add("--graph", spec_, "a generator: kron:S, urand:S or grid:RxC");
    options.add_trials(trials_);
  }

  void run(const Config& config, Report& report) override {
    const graph::GeneratorSpec spec = graph::parse_generator(spec_);
    const OpenMpTeam team;
    report.set("graph", spec_);
    Table rows(report, "programs",
               {{.head = "Algorithm", .width = 24, .left = true},
                {.head = "by hand", .width = 16, .left = true},
                {.head = "ms", .format = "{:.2f}", .width = 9},
                {.head = "program", .width = 10, .left = true},
                {.head = "ms", .format = "{:.2f}", .width = 9},
                {.head = "ratio", .format = "{:.2f}", .width = 7}});
    grappa::run(config, [&] {
      graph::EdgeList list = generate(spec, {.want_weights = true}, io::runtime_parallel_for());
      const Owned<Graph> graph = build_graph(list, {.in_edges = true});
      graph_ = *graph;
      source_ = 0;
      for (std::int64_t v = 0; v < std::min<std::int64_t>(graph_.locale_end(), 1 << 16); ++v) {
        if (graph_.out().degree(v) > graph_.out().degree(source_))
          source_ = static_cast<VertexId>(v);
      }
      pagerank_rows(rows);
      search_rows(rows);
      path_rows(rows);
      if (locale_count() == 1) label_rows(rows, team);
    });
    report.line("Checked", "{}", fact("checked", true, "ranks, depths, distances and labels"));
  }

 private:
  struct Thing {
    std::string name;
    std::function<void()> work;
  };

  /// The first is the one that is written by hand.
  void measure(Table& rows, const std::string& algorithm, const std::vector<Thing>& things) const {
    std::vector<std::function<double()>> timed;
    for (const Thing& thing : things) {
      timed.emplace_back([&thing] { return seconds_of(thing.work); });
    }
    const TrialsInTurn trials = run_in_turn(trials_, timed);
    const double by_hand = median(trials.results[0]);
    for (std::size_t i = 1; i < things.size(); ++i) {
      const double seconds = median(trials.results[i]);
      rows.add(fact("algorithm", algorithm), fact("by_hand", things[0].name),
               fact("by_hand_seconds", by_hand, by_hand * 1e3), fact("program", things[i].name),
               fact("seconds", seconds, seconds * 1e3), fact("ratio", seconds / by_hand));
    }
  }

  void pagerank_rows(Table& rows) const {
    const graph::PageRankOptions fixed{
        .damping = kDamping, .tolerance = 0, .max_iterations = kIterations};
    const graph::PageRankOptions close{.max_iterations = 1000};
    const auto by_kernel = [this](const graph::PageRankOptions& options) {
      return [this, options] { pagerank(graph_, options); };
    };
    measure(rows, "PageRank, 20 iterations",
            {{"power", by_kernel(fixed)}, {"edge_map", [this] { ranks_by_edge_map(graph_); }}});
    // Asynchronously it takes many times as long: each edge is a delivery to a core.
    measure(rows, "PageRank, tolerance 1e-4",
            {{"power", by_kernel(close)},
             {"sync", [&] { pagerank_program(graph_, close, Engine::kSynchronous); }}});

    const std::int64_t n = graph_.vertex_count();
    graph::PageRankResult kernel = pagerank(graph_, fixed);
    if (!(difference(*kernel.rank, *ranks_by_edge_map(graph_), n) < 1e-9))
      fail("PageRank by edge_map");
    kernel = pagerank(graph_, {.tolerance = 1e-10, .max_iterations = 1000});
    graph::PageRankResult program = pagerank_program(graph_, close, Engine::kSynchronous);
    if (!(difference(*kernel.rank, *program.rank, n) <
          close.tolerance * close.damping / (1 - close.damping) + 1e-9))
      fail("PageRank by vertex program");
  }

  void search_rows(Table& rows) const {
    const graph::BfsOptions from_above{.bottom_up = false};
    std::int64_t reached = 0;
    measure(rows, "BFS, top-down",
            {{"bfs", [&] { bfs(graph_, source_, from_above); }},
             {"edge_map", [&] { reached = search_by_edge_map(graph_, source_); }},
             {"sync", [&] { bfs_program(graph_, source_, Engine::kSynchronous); }}});
    graph::BfsResult kernel = bfs(graph_, source_, from_above);
    if (reached != kernel.reached) fail("BFS by edge_map");
    graph::BfsResult program = bfs_program(graph_, source_, Engine::kSynchronous);
    const std::int64_t n = graph_.vertex_count();
    if (graph::collect(*kernel.depth, n) != graph::collect(*program.depth, n))
      fail("BFS by vertex program");
  }

  void path_rows(Table& rows) const {
    const auto by_kernel = [this](double delta) {
      return [this, delta] { sssp(graph_, source_, {.delta = delta}); };
    };
    const auto by_program = [this](Engine engine) {
      return [this, engine] { sssp_program(graph_, source_, engine); };
    };
    measure(rows, "SSSP in buckets",
            {{"sssp", by_kernel(0)}, {"async", by_program(Engine::kAsynchronous)}});
    measure(
        rows, "SSSP in rounds",
        {{"sssp, one bucket", by_kernel(kOneBucket)}, {"sync", by_program(Engine::kSynchronous)}});
    const std::int64_t n = graph_.vertex_count();
    graph::SsspResult kernel = sssp(graph_, source_);
    for (const Engine engine : {Engine::kSynchronous, Engine::kAsynchronous}) {
      graph::SsspResult program = sssp_program(graph_, source_, engine);
      if (graph::collect(*kernel.distance, n) != graph::collect(*program.distance, n))
        fail("SSSP by vertex program");
    }
  }

  void label_rows(Table& rows, const OpenMpTeam& team) const {
    const auto by_program = [this](Engine engine) {
      return [this, engine] { components_program(graph_, engine); };
    };
    std::vector<VertexId> labels;
    measure(rows, "Label propagation",
            {{"OpenMP", [&] { labels = propagate_labels(graph_, team, cores_per_locale()); }},
             {"sync", by_program(Engine::kSynchronous)},
             {"async", by_program(Engine::kAsynchronous)}});
    for (const Engine engine : {Engine::kSynchronous, Engine::kAsynchronous}) {
      graph::ComponentsResult program = components_program(graph_, engine);
      if (graph::collect_vertices(*program.label, graph_) != labels)
        fail("label propagation by vertex program");
    }
  }

  std::string spec_ = "kron:18";
  int trials_ = 5;
  Graph graph_;
  VertexId source_ = 0;
};

VertexPrograms vertex_programs;

}  // namespace
}  // namespace grappa::bench
