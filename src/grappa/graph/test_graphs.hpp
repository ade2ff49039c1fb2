#pragma once

// The graphs and shapes of runs that tests of the builder and the kernels go through.
//
//   for_all_graphs([](const TestGraph& g) { Graph graph = g.build({.in_edges = true}); … });
//
// runs the body inside grappa::run, for every graph, in every shape.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "grappa/graph/build/build.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"
#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa::graph::test {

/// How much a counter has grown since this was made, on all locales.
class Growth {
 public:
  explicit Growth(std::string counter) : counter_(std::move(counter)), before_(total()) {}
  std::int64_t operator()() const { return total() - before_; }

 private:
  std::int64_t total() const {
    for (const MetricValue& metric : metrics_snapshot()) {
      if (metric.name == counter_) return static_cast<std::int64_t>(metric.total);
    }
    throw std::logic_error("no metric " + counter_);
  }

  std::string counter_;
  std::int64_t before_;
};

inline EdgeList make_list(std::int64_t vertices, bool directed, const std::vector<Edge>& edges) {
  EdgeList list;
  list.vertex_count = vertices;
  list.directed = directed;
  list.edges.assign(edges.begin(), edges.end());
  return list;
}

/// Edge lists cannot be copied by accident elsewhere; tests build several graphs from one.
inline EdgeList copy_of(const EdgeList& list) {
  EdgeList copy;
  copy.vertex_count = list.vertex_count;
  copy.directed = list.directed;
  copy.needs_simplify = list.needs_simplify;
  copy.edges = list.edges;
  copy.weights = list.weights;
  return copy;
}

struct TestGraph {
  std::string name;
  EdgeList list;

  Graph build(const BuildOptions& options = {}) const {
    EdgeList copy = copy_of(list);
    return build_graph(copy, options);
  }
  /// The same graph made serially, by other code.
  SerialGraph serial() const {
    EdgeList copy = copy_of(list);
    if (copy.needs_simplify) simplify(copy, serial_for());
    return SerialGraph(copy.vertex_count, copy.directed, copy.edges, copy.weights);
  }
};

/// The graph with every edge in the direction in which it stands in the list.
inline TestGraph directed(TestGraph graph) {
  if (graph.list.needs_simplify) simplify(graph.list, serial_for());
  graph.list.needs_simplify = false;
  graph.list.directed = true;
  graph.name += ", directed";
  return graph;
}

/// The graph with weights of the type: the same number for the same edge, most of them small.
inline TestGraph weighted(TestGraph graph, WeightType type) {
  graph.list.weights.clear();
  for (const Edge& edge : graph.list.edges) {
    const std::uint64_t mix = (edge.source * 1000003ull + edge.target) * 0x9E3779B97F4A7C15ull;
    const auto byte = static_cast<double>(mix >> 56);
    graph.list.weights.push_back(type == WeightType::kByte   ? byte
                                 : type == WeightType::kWord ? byte * (mix % 7 == 0 ? 70000 : 1)
                                                             : byte / 7);
  }
  graph.name += type == WeightType::kByte   ? ", byte weights"
                : type == WeightType::kWord ? ", word weights"
                                            : ", double weights";
  return graph;
}

inline TestGraph generated(const std::string& text) {
  return {text, generate(parse_generator(text), {.seed = 3}, serial_for())};
}

/// From vertex 0, where the vertices of all levels but the last have four children, numbered level
/// by level. A search of 9 levels has 2^16 edges and more in one that is short by all that was
/// before, on the locale with the least numbers.
inline TestGraph tree_of_fours(int levels) {
  std::vector<Edge> list;
  std::uint32_t first = 0;
  std::uint32_t width = 1;
  for (int level = 1; level < levels; ++level) {
    for (std::uint32_t i = 0; i < 4 * width; ++i)
      list.push_back({first + i / 4, first + width + i});
    first += width;
    width *= 4;
  }
  return {"tree of fours", make_list(first + width, false, list)};
}

/// Edges to near vertices, and one of a hundred to any: most stay on a locale, while components, of
/// which there are many where edges are few, reach over several.
inline TestGraph mostly_local(std::uint32_t vertices, std::uint32_t edges, bool directed) {
  std::mt19937 random(7);
  std::vector<Edge> list;
  for (std::uint32_t i = 0; i < edges; ++i) {
    const auto v = static_cast<std::uint32_t>(random() % vertices);
    const auto far = static_cast<std::uint32_t>(random() % vertices);
    const auto near = static_cast<std::uint32_t>((v + 1 + random() % 40) % vertices);
    list.push_back({v, i % 100 == 0 ? far : near});
  }
  return {"mostly local", make_list(vertices, directed, list)};
}

/// Small graphs of all sorts. Those of more than 960 vertices have some on each of 16 locales.
inline std::vector<TestGraph> all_graphs() {
  std::vector<Edge> paths;  // five from vertex 0: one of all vertices would take as many rounds
  std::vector<Edge> star;
  std::vector<Edge> rings;  // two
  constexpr std::uint32_t kLong = 970;
  for (std::uint32_t v = 0; v + 1 < kLong; ++v) {
    paths.push_back({v < 5 ? 0 : (v - 4) * 7 % kLong, (v + 1) * 7 % kLong});
    star.push_back({700, v < 700 ? v : v + 1});
    rings.push_back({v, v == 399 ? 0 : v == kLong - 2 ? 400 : v + 1});
  }
  std::vector<TestGraph> graphs;
  graphs.push_back({"no vertices", make_list(0, false, {})});
  graphs.push_back({"one vertex", make_list(1, true, {})});
  graphs.push_back({"one self-loop", make_list(1, false, {{0, 0}})});
  graphs.push_back({"no edges", make_list(1000, true, {})});
  graphs.push_back({"self-loops and duplicates",
                    make_list(5, false, {{0, 1}, {1, 0}, {0, 1}, {2, 2}, {2, 2}, {1, 3}, {3, 3}})});
  graphs.push_back({"self-loops and duplicates, directed",
                    make_list(5, true, {{0, 1}, {1, 0}, {0, 1}, {2, 2}, {2, 2}, {1, 3}, {3, 3}})});
  graphs.push_back({"paths", make_list(kLong, false, paths)});
  graphs.push_back(directed(graphs.back()));
  graphs.push_back({"star", make_list(kLong, false, star)});
  graphs.push_back(directed(graphs.back()));
  graphs.push_back({"two rings and an isolated vertex", make_list(kLong, false, rings)});
  graphs.push_back(generated("grid:40x30"));
  graphs.push_back(generated("urand:10:4"));
  graphs.push_back(directed(graphs.back()));
  graphs.push_back(generated("kron:11:8"));
  graphs.push_back(directed(graphs.back()));
  return graphs;
}

/// The same rows with the same weights.
inline void expect_same(const SerialGraph& a, const SerialGraph& b) {
  ASSERT_EQ(a.vertex_count(), b.vertex_count());
  EXPECT_EQ(a.has_weights(), b.has_weights());
  EXPECT_EQ(a.is_directed(), b.is_directed());
  for (std::int64_t v = 0; v < a.vertex_count(); ++v) {
    ASSERT_TRUE(std::ranges::equal(a.neighbors(v), b.neighbors(v))) << "row " << v;
    for (std::size_t i = 0; i < a.neighbors(v).size(); ++i)
      ASSERT_EQ(a.weight(v, i), b.weight(v, i)) << "row " << v << ", edge " << i;
  }
}

inline std::vector<Config> all_shapes() {
#ifdef GRAPPA_TSAN
  // It looks for races, which simulations on one thread do not have.
  return {grappa::test::threads(2), grappa::test::cluster(2, 2)};
#else
  // How messages are moved is tested where that is done; here it would only take time.
  std::vector<Config> shapes = grappa::test::all_shapes();
  std::erase_if(shapes, [](const Config& config) {
    return config.comm_core || config.chunk_bytes != Config().chunk_bytes;
  });
  return shapes;
#endif
}

/// make(graph) as a function, made once for each graph, in however many shapes it is asked for.
template <class Make>
auto once_for_each_graph(Make make) {
  using Made = decltype(make(std::declval<const TestGraph&>()));
  return
      [make, made = std::map<std::string, Made>()](const TestGraph& graph) mutable -> const auto& {
        const auto found = made.find(graph.name);
        return found != made.end() ? found->second
                                   : made.emplace(graph.name, make(graph)).first->second;
      };
}

/// body(const TestGraph&) inside a run, for every graph in every shape.
template <class F>
void for_all_graphs(F body) {
  const std::vector<TestGraph> graphs = all_graphs();
  for (const Config& config : all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      for (const TestGraph& graph : graphs) {
        SCOPED_TRACE(graph.name);
        body(graph);
      }
    });
  }
}

}  // namespace grappa::graph::test
