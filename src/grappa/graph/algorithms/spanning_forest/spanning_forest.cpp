// Borůvka's algorithm [1]: in each round every component chooses the lightest edge that leaves it;
// all of these belong to the forest, and the components that they join become one. The order of
// edges is strict (ties go by the ends), so components that choose each other choose the same edge,
// and there are no other cycles.
//
// Three things keep the rounds short. A vertex remembers the edge that it has found, and reads its
// row again only when that edge has come to lie within its component. In a row, only edges lighter
// than the best so far need their other end looked up, which is what takes time. And the component
// that most vertices are in, by a sample, makes no choice: the others join it all the same, and its
// many edges are never read; that idea is from Afforest [2].
//
// The label of each vertex is the root of its component. A root that has chosen points to the root
// at the other end of its edge; then all labels are compressed. On several locales each has labels
// of all vertices, finds the lightest edge of each component among those of its own vertices, and
// proposes it to the home of the root, which takes the lightest of all. Then the locales exchange
// the labels of their vertices (an all-gather), and each compresses all of them.
//
// [1] O. Borůvka, "O jistém problému minimálním", Práce Moravské přírodovědecké společnosti 3,
//     1926; in English: J. Nešetřil, E. Milková, H. Nešetřilová, Discrete Mathematics 233, 2001.
// [2] M. Sutton, T. Ben-Nun, A. Barak, "Optimizing parallel graph connectivity computation via
//     subgraph sampling", IPDPS 2018.
#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/algorithms/connected_components/internal/frequent_label.hpp"
#include "grappa/graph/exec/core_lists.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {
namespace {

/// The lightest edge of a vertex that leaves its component.
struct Candidate {
  double weight = 0;
  // The vertex itself before its row was looked at; kNoVertex when no edge leaves any more.
  VertexId to = kNoVertex;
};

/// The state of a locale, which its cores share. Arrays of vertices are indexed by the vertex.
struct Local {
  Graph graph;
  Adjacency out;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  Candidate (*find)(const Local&, VertexId) = nullptr;  // for the graph's type of weights
  // Of all vertices:
  VertexId* label = nullptr;  // the root of the component
  VertexId* best = nullptr;   // by root: the vertex here with the component's lightest edge
  // Of the vertices here:
  Candidate* candidate = nullptr;
  ForestEdge* edge = nullptr;     // that a root chose when it stopped to be one
  VertexId* target = nullptr;     // by root: the root at the other end of its choice, or kNoVertex
  CoreLists<VertexId> proposing;  // components that have a best
  CoreLists<VertexId> choosing;   // roots here that have a target

  ForestEdge edge_of(VertexId v) const {
    return {candidate[v].weight, std::min(v, candidate[v].to), std::max(v, candidate[v].to)};
  }

  /// The edge of v is one that its component could choose.
  void offer(VertexId root, VertexId v) {
    std::atomic_ref chosen(best[root]);
    VertexId rival = chosen.load(std::memory_order_acquire);
    const ForestEdge mine = edge_of(v);
    while (rival == kNoVertex || mine.is_lighter_than(edge_of(rival))) {
      // Release: others compare with the edge of v then.
      if (!chosen.compare_exchange_weak(rival, v, std::memory_order_acq_rel,
                                        std::memory_order_acquire))
        continue;
      if (rival == kNoVertex) proposing.mine().push_back(root);
      return;
    }
  }

  void consider(VertexId v, VertexId passed_over) {
    Candidate& mine = candidate[v];
    if (mine.to == kNoVertex || label[v] == passed_over) return;
    if (label[mine.to] == label[v]) mine = find(*this, v);
    if (mine.to != kNoVertex) offer(label[v], v);
  }

  /// At the home of the root.
  void choose(VertexId root, const ForestEdge& proposed) {
    if (target[root] == kNoVertex) {
      choosing.mine().push_back(root);
    } else if (!proposed.is_lighter_than(edge[root])) {
      return;
    }
    edge[root] = proposed;
    target[root] = label[proposed.u] == root ? label[proposed.v] : label[proposed.u];
  }
};
using Locals = LocaleState<Local>;

template <class W>
Candidate find_lightest(const Local& local, VertexId v) {
  using Number = std::conditional_t<std::is_same_v<W, UnitWeight>, std::uint8_t, W>;
  const std::span<const VertexId> row = local.out.neighbors(v);
  if (row.empty()) return {};
  const auto weights = local.out.weights<W>(v);
  const auto least = static_cast<Number>(local.graph.weight_range().least);
  const VertexId mine = local.label[v];
  VertexId to = kNoVertex;
  Number lightest = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    // Rows are ascending, so of equal weights the first is preferred.
    const Number weight = weights[i];
    if (to != kNoVertex && weight >= lightest) continue;
    if (local.label[row[i]] == mine) continue;
    to = row[i];
    lightest = weight;
    if (weight == least) break;
  }
  return {static_cast<double>(lightest), to};
}

/// The vertices [first, last) offer their lightest edges.
struct Consider {
  Locals locals;
  VertexId passed_over;
  void operator()(std::int64_t first, std::int64_t last) const {
    stop_if_cancelled();
    Local& local = *locals;
    for (std::int64_t v = first; v < last; ++v)
      local.consider(static_cast<VertexId>(v), passed_over);
  }
};

struct Proposal {
  Locals locals;
  std::uint64_t root;
  double weight;
  std::uint64_t u;
  std::uint64_t v;
  void operator()() const { locals->choose(untagged(root), {weight, untagged(u), untagged(v)}); }
};

/// Entries [first, last) of `proposing`.
struct Propose {
  Locals locals;
  void operator()(std::int64_t first, std::int64_t last) const {
    Local& local = *locals;
    local.proposing.for_range(first, last, [&](std::span<const VertexId> roots) {
      for (const VertexId root : roots) {
        const VertexId v = std::exchange(local.best[root], kNoVertex);
        const ForestEdge edge = local.edge_of(v);
        if (locale_count() == 1) {
          local.choose(root, edge);
        } else {
          delegate::async::call(local.graph.home(root),
                                Proposal{locals, root | kVertexTag, edge.weight,
                                         edge.u | kVertexTag, edge.v | kVertexTag});
        }
      }
    });
  }
};

/// Follows the pointers to a root, or to two roots that chose each other, of which the smaller one
/// becomes the root. Halves the path on the way. Other cores do the same, and set labels to roots.
VertexId root_of(VertexId* label, VertexId v) {
  VertexId up = load_shared(label[v]);
  for (;;) {
    VertexId above = load_shared(label[up]);
    const VertexId beyond = load_shared(label[above]);
    if (beyond == above) return above;
    if (beyond == up) return std::min(up, above);
    // Else `up` may already point to its root, and would be pointed away from it.
    if (load_shared(label[beyond]) == above) return std::min(above, beyond);
    std::atomic_ref(label[up]).compare_exchange_strong(above, beyond, std::memory_order_relaxed);
    up = beyond;
  }
}

struct Compress {
  Locals locals;
  void operator()(std::int64_t first, std::int64_t last) const {
    VertexId* const label = locals->label;
    for (std::int64_t v = first; v < last; ++v) {
      const VertexId root = root_of(label, static_cast<VertexId>(v));
      std::atomic_ref(label[v]).store(root, std::memory_order_relaxed);
    }
  }
};

/// A sum over edges.
struct Total {
  std::int64_t edges = 0;
  double weight = 0;
};

class Boruvka {
 public:
  explicit Boruvka(const Graph& graph) : graph_(graph) { create(); }

  SpanningForestResult run() {
    VertexId passed_over = kNoVertex;
    for (std::int64_t round = 1; choose(passed_over) > 0; ++round) {
      mark_round("round", round);
      join();
      passed_over = frequent_of(graph_.vertex_count(),
                                [label = label_->data()](std::uint64_t v) { return label[v]; });
    }
    const Total total = reduce_cores(
        [edge = *result_.edge] {
          Total mine;
          for (const ForestEdge& e : edge.local()) {
            if (e.u == kNoVertex) continue;
            ++mine.edges;
            mine.weight += e.weight;
          }
          return mine;
        },
        Total(),
        [](Total a, const Total& b) { return Total{a.edges + b.edges, a.weight + b.weight}; });
    const WeightRange range = graph_.weight_range();
    if (!std::isfinite(total.weight) && std::isfinite(range.least) &&
        std::isfinite(range.greatest)) {
      throw UsageError(
          "msf: the weights add up to more than 1.8e308, the greatest number; divide them");
    }
    result_.edges = total.edges;
    result_.weight = total.weight;
    result_.trees = graph_.vertex_count() - total.edges;
    return std::move(result_);
  }

 private:
  void create() {
    const std::int64_t of_locale = graph_.vertices_per_core() * cores_per_locale();
    result_.edge = graph_.make_vertex_array<ForestEdge>();
    label_ = Replica<VertexId>::create_for_overwrite(graph_.vertex_count());
    best_ = Replica<VertexId>::create_for_overwrite(graph_.vertex_count());
    best_->fill(kNoVertex);
    candidate_ = Replica<Candidate>::create_for_overwrite(of_locale);
    target_ = Replica<VertexId>::create_for_overwrite(of_locale);
    target_->fill(kNoVertex);
    locals_ = Locals::create();
    on_each_locale([graph = graph_, locals = *locals_, edge = *result_.edge, label = *label_,
                    best = *best_, candidate = *candidate_, target = *target_] {
      Local& local = *locals;
      local.graph = graph;
      local.out = graph.out();
      local.begin = graph.locale_begin();
      local.end = graph.locale_end();
      local.find = visit_weights(graph.weight_type(), []<class W>(W) { return &find_lightest<W>; });
      local.label = label.data();
      local.best = best.data();
      local.candidate = candidate.data() - local.begin;
      local.edge = edge.locale_part().data() - local.begin;
      local.target = target.data() - local.begin;
      forall_here(0, graph.vertex_count(), [locals](std::int64_t i) {
        const auto v = static_cast<VertexId>(i);
        Local& mine = *locals;
        mine.label[v] = v;
        if (v >= mine.begin && v < mine.end) mine.candidate[v].to = v;
      });
    });
  }

  /// Every component but one chooses its lightest edge; returns how many have one.
  std::int64_t choose(VertexId passed_over) {
    on_each_locale([locals = *locals_, passed_over] {
      Local& local = *locals;
      forall_range_here(local.begin, local.end, Consider{locals, passed_over});
      forall_range_here(0, local.proposing.size(), Propose{locals});
      local.proposing.clear();
    });
    return reduce_locales([locals = *locals_] { return locals->choosing.size(); });
  }

  template <class F>
  static void for_choosing(Locals locals, F f) {
    const Local& local = *locals;
    forall_range_here(0, local.choosing.size(), [locals, f](std::int64_t first, std::int64_t last) {
      const Local& mine = *locals;
      mine.choosing.for_range(first, last, [&](std::span<const VertexId> roots) {
        for (const VertexId root : roots) f(mine, root);
      });
    });
  }

  /// Makes one of the components that the choices join.
  void join() {
    on_each_locale([locals = *locals_] {
      for_choosing(locals, [](const Local& local, VertexId root) {
        local.label[root] = std::exchange(local.target[root], kNoVertex);
      });
    });
    label_->all_gather(vertices_of_locale(graph_));
    on_each_locale([locals = *locals_, n = graph_.vertex_count()] {
      forall_range_here(0, n, Compress{locals});
      // Of two roots that chose each other, only one is to have the edge.
      for_choosing(locals, [](const Local& local, VertexId root) {
        if (local.label[root] == root) local.edge[root] = ForestEdge();
      });
      locals->choosing.clear();
    });
  }

  const Graph graph_;
  SpanningForestResult result_;
  Owned<Replica<VertexId>> label_;
  Owned<Replica<VertexId>> best_;
  Owned<Replica<Candidate>> candidate_;
  Owned<Replica<VertexId>> target_;
  Owned<Locals> locals_;
};

}  // namespace

SpanningForestResult minimum_spanning_forest(const Graph& graph) {
  graph.require_live("spanning forest");
  graph.require_undirected("spanning forest");
  return Boruvka(graph).run();
}

namespace {

void sort_by_ends(std::vector<ForestEdge>& edges) {
  std::ranges::sort(edges, {}, [](const ForestEdge& edge) { return std::tie(edge.u, edge.v); });
}

}  // namespace

std::vector<ForestEdge> forest_as_numbered(const Graph& graph, const SpanningForestResult& result) {
  std::vector<ForestEdge> edges = collect(*result.edge, graph.vertex_count());
  std::erase_if(edges, [](const ForestEdge& edge) { return edge.u == kNoVertex; });
  sort_by_ends(edges);
  return edges;
}

std::vector<ForestEdge> forest_edges(const Graph& graph, const SpanningForestResult& result) {
  std::vector<ForestEdge> edges = forest_as_numbered(graph, result);
  if (!graph.is_reordered()) return edges;
  for (ForestEdge& edge : edges)
    std::tie(edge.u, edge.v) = std::minmax({graph.given(edge.u), graph.given(edge.v)});
  sort_by_ends(edges);
  return edges;
}

}  // namespace grappa::graph
