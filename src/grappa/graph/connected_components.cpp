// Connected components by Afforest [1].
//
// Labels form a forest in which every vertex points to one with a smaller or equal id of its
// component, so the root of a tree is its smallest vertex. Linking the ends of an edge walks up
// from both until the roots meet, hooking the larger under the smaller by compare-and-swap [2];
// compressing lets every vertex point to its root. When all edges have been linked, the trees are
// the components.
//
// What makes it fast is that most edges need not be looked at. Linking the first two edges of every
// vertex already joins most of the largest component. A sample of the labels finds it, and from
// then on its vertices are passed over: an edge that leaves it is found from its other end. For
// that, all edges must be seen from both ends; a directed graph without in-edges links all its
// edges.
//
// On several locales, each one has labels for all vertices and links the edges of its own. The
// forests are then merged: each vertex with its label is an edge that joins what that locale knows
// to be joined, so locales send them in pairs down a binary tree, where they are linked as edges
// are, and the result is shared out. This happens before the sample (so that all locales pass over
// the same component; else an edge between two that were passed over would be lost) and at the end.
//
// [1] M. Sutton, T. Ben-Nun, A. Barak, "Optimizing parallel graph connectivity computation via
//     subgraph sampling", IPDPS 2018.
// [2] Y. Shiloach, U. Vishkin, "An O(log n) parallel connectivity algorithm", J. Algorithms 3,
// 1982.
#include "grappa/graph/connected_components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "grappa/container/replica.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

constexpr std::int64_t kSamples = 1024;
// With checkpoints, the edges that are left are linked in so many rounds, each of blocks of
// vertices from everywhere. Fixed: a run that goes on from a checkpoint must have the same.
constexpr std::int64_t kSlices = 16;
constexpr std::int64_t kSliceBlock = 4096;  // vertices

/// What the cores of a locale share.
struct Share {
  Adjacency out;
  Adjacency in;
  bool both_ways = false;  // directed, with in-edges
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  VertexId* label = nullptr;     // of all vertices
  std::int64_t arcs_linked = 0;  // by all cores
};
using Shares = Replica<Share>;

VertexId load(VertexId& label) { return std::atomic_ref(label).load(std::memory_order_relaxed); }

/// Joins the trees of u and v. Labels only ever get smaller, so relaxed operations suffice.
void link(VertexId* label, VertexId u, VertexId v) {
  VertexId a = load(label[u]);
  VertexId b = load(label[v]);
  while (a != b) {
    if (a < b) std::swap(a, b);
    // a is larger. If it is a root, b becomes its parent; else its parent is tried.
    VertexId parent = load(label[a]);
    if (parent == b) return;
    if (parent == a &&
        std::atomic_ref(label[a]).compare_exchange_strong(parent, b, std::memory_order_relaxed)) {
      return;
    }
    a = load(label[parent]);
    b = load(label[b]);
  }
}

/// The label that a sample of all vertices has most often.
VertexId frequent_label(const VertexId* label, std::int64_t n) {
  std::vector<VertexId> sample;
  // A fixed stride around the circle hits all regions of the ids evenly.
  constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
  std::uint64_t at = 0;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    at += kGoldenRatio;
    const std::uint64_t v = (at >> 32) * static_cast<std::uint64_t>(n) >> 32;
    sample.push_back(label[v]);
  }
  std::ranges::sort(sample);
  VertexId best = sample.front();
  std::ptrdiff_t most = 0;
  for (auto first = sample.begin(); first != sample.end();) {
    const auto last = std::upper_bound(first, sample.end(), *first);
    if (last - first > most) {
      most = last - first;
      best = *first;
    }
    first = last;
  }
  return best;
}

struct Compress {
  Shares shares;
  void operator()(std::int64_t first, std::int64_t last) const {
    VertexId* const label = shares.data()->label;
    for (std::int64_t v = first; v < last; ++v) {
      VertexId up = load(label[v]);
      for (VertexId root = load(label[up]); root != up; root = load(label[up])) up = root;
      std::atomic_ref(label[v]).store(up, std::memory_order_relaxed);
    }
  }
};

/// Links the edge number `round` of each vertex.
struct LinkOne {
  Shares shares;
  std::int64_t round;
  void operator()(std::int64_t first, std::int64_t last) const {
    Share& mine = *shares.data();
    std::int64_t linked = 0;
    for (std::int64_t v = first; v < last; ++v) {
      if (mine.out.degree(v) <= round) continue;
      link(mine.label, static_cast<VertexId>(v),
           mine.out.neighbors(v)[static_cast<std::size_t>(round)]);
      ++linked;
    }
    std::atomic_ref(mine.arcs_linked).fetch_add(linked, std::memory_order_relaxed);
  }
};

/// Links the edges that are left of one slice, except those of vertices with the label
/// `passed_over`.
struct LinkRest {
  Shares shares;
  std::int64_t rounds;
  VertexId passed_over;
  std::int64_t slice;
  std::int64_t slices;
  void operator()(std::int64_t first, std::int64_t last) const {
    Share& mine = *shares.data();
    std::int64_t linked = 0;
    const auto link_all = [&](std::int64_t v, std::span<const VertexId> row) {
      for (const VertexId w : row) link(mine.label, static_cast<VertexId>(v), w);
      linked += static_cast<std::int64_t>(row.size());
    };
    for (std::int64_t v = first; v < last; ++v) {
      if (slices > 1 && v / kSliceBlock % slices != slice) {
        v = (v / kSliceBlock + 1) * kSliceBlock - 1;
        continue;
      }
      if (load(mine.label[v]) == passed_over) continue;
      const auto row = mine.out.neighbors(v);
      link_all(v, row.subspan(std::min(row.size(), static_cast<std::size_t>(rounds))));
      if (mine.both_ways) link_all(v, mine.in.neighbors(v));
    }
    std::atomic_ref(mine.arcs_linked).fetch_add(linked, std::memory_order_relaxed);
  }
};

class Afforest {
 public:
  Afforest(const Graph& graph, const ComponentsOptions& options)
      : graph_(graph), options_(options), rounds_(options.neighbor_rounds) {
    result_.label = graph_.make_vertex_array_for_overwrite<VertexId>();
    // On one locale the result itself; else every locale has labels for all vertices.
    if (locale_count() > 1)
      labels_ = Replica<VertexId>::create_for_overwrite(graph_.vertex_count());
    shares_ = Shares::create(1);
    on_each_locale([graph = graph_, result = result_.label, labels = labels_, shares = shares_] {
      Share& mine = *shares.data();
      mine.out = graph.out();
      mine.both_ways = graph.is_directed() && graph.has_in_edges();
      if (mine.both_ways) mine.in = graph.in();
      mine.begin = graph.locale_begin();
      mine.end = graph.locale_end();
      mine.label = locale_count() == 1 ? result.locale_part().data() : labels.data();
      forall_range_here(0, graph.vertex_count(), [shares](std::int64_t first, std::int64_t last) {
        VertexId* const label = shares.data()->label;
        for (std::int64_t v = first; v < last; ++v) label[v] = static_cast<VertexId>(v);
      });
    });
  }

  ComponentsResult run() {
    std::int64_t passed_over = kNoVertex;
    CheckpointSession session(options_.checkpoint, graph_, fmt::format("{} rounds", rounds_));
    session.add("label", result_.label);
    session.add("passed over", passed_over);
    session.add("arcs linked", result_.arcs_linked);
    const std::int64_t slices = session.is_on() ? kSlices : 1;
    std::int64_t steps = session.resume();
    const auto step_done = [&] {
      if (++steps <= slices && session.is_due(steps)) {
        merge();
        publish();
        session.after(steps);
      }
      if (options_.on_step) options_.on_step(steps, slices + 1);
    };
    if (steps > 0) {
      take_labels();
    } else {
      passed_over = sample();
      step_done();
    }
    while (steps <= slices) {
      over_my_vertices(
          LinkRest{shares_, rounds_, static_cast<VertexId>(passed_over), steps - 1, slices});
      compress();
      step_done();
    }
    merge();
    publish();
    session.finish(steps);
    if (locale_count() > 1) labels_.destroy();
    shares_.destroy();
    return result_;
  }

 private:
  /// Links the first edges of all vertices; returns the label that is frequent then, or none where
  /// edges are not seen from both ends.
  VertexId sample() {
    for (std::int64_t round = 0; round < rounds_; ++round) {
      over_my_vertices(LinkOne{shares_, round});
      compress();
    }
    merge();
    return graph_.has_in_edges() ? frequent_label(shares_.data()->label, graph_.vertex_count())
                                 : kNoVertex;
  }

  /// From what the locales have to the result.
  void publish() {
    for (const std::int64_t linked : gather_locales(
             [shares = shares_] { return std::exchange(shares.data()->arcs_linked, 0); }))
      result_.arcs_linked += linked;
    if (locale_count() == 1) return;
    on_all_locales([result = result_.label, shares = shares_] {
      const Share& mine = *shares.data();
      std::copy(mine.label + mine.begin, mine.label + mine.end, result.locale_part().begin());
    });
  }

  /// And back.
  void take_labels() {
    if (locale_count() == 1) return;
    on_all_locales([result = result_.label, shares = shares_] {
      const Share& mine = *shares.data();
      const auto labels = result.locale_part();
      std::copy_n(labels.begin(), mine.end - mine.begin, mine.label + mine.begin);
    });
    labels_.share([graph = graph_](int locale) {
      return std::pair(graph.first_vertex_of(locale), graph.first_vertex_of(locale + 1));
    });
  }

  template <class F>
  void over_my_vertices(F f) {
    on_each_locale(
        [shares = shares_, f] { forall_range_here(shares.data()->begin, shares.data()->end, f); });
  }

  void compress() {
    on_each_locale([shares = shares_, n = graph_.vertex_count()] {
      forall_range_here(0, n, Compress{shares});
    });
  }

  /// Makes the labels of all locales the same, joining what any of them has joined.
  void merge() {
    if (locale_count() == 1) return;
    for (int distance = 1; distance < locale_count(); distance *= 2) {
      on_all_locales([shares = shares_, distance, n = graph_.vertex_count()] {
        if (this_locale() % (2 * distance) != distance) return;
        forall_here(0, n, [shares, distance](std::int64_t v) {
          const VertexId up = shares.data()->label[v];
          if (up == v) return;
          delegate::async::call(
              this_core() - distance * cores_per_locale(),
              [shares, a = static_cast<std::uint64_t>(v) | kVertexTag, b = up | kVertexTag] {
                link(shares.data()->label, static_cast<VertexId>(a), static_cast<VertexId>(b));
              });
        });
      });
    }
    compress();
    labels_.share([n = graph_.vertex_count()](int locale) {
      return std::pair(std::int64_t{0}, locale == 0 ? n : 0);
    });
  }

  const Graph graph_;
  const ComponentsOptions& options_;
  const std::int64_t rounds_;
  ComponentsResult result_;
  Replica<VertexId> labels_;
  Shares shares_;
};

}  // namespace

void ComponentsResult::destroy() { label.destroy(); }

ComponentsResult connected_components(const Graph& graph, const ComponentsOptions& options) {
  if (graph.vertex_count() == 0) return {.label = graph.make_vertex_array<VertexId>()};
  return Afforest(graph, options).run();
}

std::vector<Component> component_table(const Graph& graph, const GlobalArray<VertexId>& label) {
  const std::int64_t n = graph.vertex_count();
  std::vector<Component> table;
  if (n == 0) return table;
  auto sizes = Replica<std::int64_t>::create(n);
  on_each_locale([graph, label, sizes] {
    const std::int64_t begin = graph.locale_begin();
    const std::int64_t mine = graph.locale_end() - begin;
    if (mine == 0) return;
    // Most vertices have one label; counting those apart, cores do not fight for one counter.
    const VertexId frequent = frequent_label(label.locale_part().data(), mine);
    forall_range_here(0, mine, [label, sizes, frequent](std::int64_t first, std::int64_t last) {
      const VertexId* const labels = label.locale_part().data();
      std::int64_t of_frequent = 0;
      for (std::int64_t i = first; i < last; ++i) {
        if (labels[i] == frequent) {
          ++of_frequent;
        } else {
          std::atomic_ref(sizes.data()[labels[i]]).fetch_add(1, std::memory_order_relaxed);
        }
      }
      std::atomic_ref(sizes.data()[frequent]).fetch_add(of_frequent, std::memory_order_relaxed);
    });
  });
  sizes.merge([](std::int64_t a, std::int64_t b) { return a + b; });
  const std::span<const std::int64_t> all = sizes.span();
  for (std::int64_t v = 0; v < n; ++v) {
    const std::int64_t size = all[static_cast<std::size_t>(v)];
    if (size != 0) table.push_back({static_cast<VertexId>(v), size});
  }
  sizes.destroy();
  std::ranges::stable_sort(table, std::ranges::greater{}, &Component::size);
  return table;
}

}  // namespace grappa::graph
