// Connected components by Afforest [1].
//
// Labels form a forest in which every vertex points to one with a smaller or equal id of its
// component, so the root of a tree is its smallest vertex. Linking the ends of an edge walks up
// from both until the roots meet, hooking the larger under the smaller by compare-and-swap [2];
// compressing lets every vertex point to its root. When all edges have been linked, the trees are
// the components.
//
// Before that, in a pass of its own, every vertex takes the label of its first neighbor if that is
// smaller: no other core writes the vertex's label in this pass, so a plain store will do, and few
// are left for the compare-and-swap.
//
// It is fast because most edges are never read. Linking the first two edges of every vertex already
// joins most of the largest component. A sample of the labels finds that component, and from then
// on its vertices are skipped: an edge that leaves it is found from its other end. For that, all
// edges must be stored at both ends; a directed graph without in-edges links all its edges.
//
// On several locales, each one has labels for all vertices and links the edges of its own. The
// forests are then merged: before the sample, so that all locales skip the same component (else an
// edge between two that were skipped would be lost), and at the end, when few differences are left.
// Where most edges stay on their locale, the locales exchange only what they know of the ends of
// the other edges (merge_borders.hpp), else of all vertices (merge_forests.hpp).
//
// [1] M. Sutton, T. Ben-Nun, A. Barak, "Optimizing parallel graph connectivity computation via
//     subgraph sampling", IPDPS 2018.
// [2] Y. Shiloach, U. Vishkin, "An O(log n) parallel connectivity algorithm", J. Algorithms 3,
// 1982.
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "grappa/base/metrics.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/algorithms/connected_components/internal/frequent_label.hpp"
#include "grappa/graph/algorithms/connected_components/internal/label_forest.hpp"
#include "grappa/graph/algorithms/connected_components/internal/least_labels.hpp"
#include "grappa/graph/algorithms/connected_components/internal/merge_borders.hpp"
#include "grappa/graph/algorithms/connected_components/internal/merge_forests.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/internal/halo.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {
namespace {

// With checkpoints, the edges that are left are linked in so many rounds, each of blocks of
// vertices from everywhere. Fixed: a run that resumes from a checkpoint must have the same.
constexpr std::int64_t kSlices = 16;
constexpr std::int64_t kSliceBlock = 4096;  // vertices

const metrics::Counter kBorderMerges{
    "graph.border_merges", "components for which locales told only of the edges between them"};

/// The state of a locale, which its cores share.
struct Local {
  Adjacency out;
  Adjacency in;
  bool both_ways = false;  // directed, with in-edges
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  VertexId* label = nullptr;  // of all vertices
  // Of several locales, one of the two:
  bool has_borders = false;
  BorderMerge borders;
  ForestMerge forests;
  std::int64_t arcs_linked = 0;  // by all cores

  /// To be called for the other end of an edge that is linked.
  void touch(VertexId w) const {
    if (has_borders && (w < begin || w >= end)) borders.touch(w);
  }
};
using Locals = LocaleState<Local>;

struct Compress {
  Locals locals;
  VertexId usual;
  void operator()(std::int64_t first, std::int64_t last) const {
    compress(locals->label, first, last, usual);
  }
};

/// Whether a vertex is hooked to its first neighbor, the smallest, before any edge is linked.
bool hooks(std::int64_t v, std::span<const VertexId> row) { return !row.empty() && row[0] < v; }

/// Gives each vertex the label of its first neighbor, where that is smaller. Only a vertex's own
/// core writes its label now, so no compare-and-swap is needed, as it is for each edge that joins
/// two trees. And as vertices come in order, the neighbor mostly has the label of its root.
struct HookFirst {
  Locals locals;
  void operator()(std::int64_t first, std::int64_t last) const {
    Local& mine = *locals;
    VertexId* const label = mine.label;
    std::int64_t linked = 0;
    for (std::int64_t v = first; v < last; ++v) {
      mine.out.prefetch_in_order(v, last);
      const auto row = mine.out.neighbors(v);
      if (!hooks(v, row)) continue;
      std::atomic_ref(label[v]).store(load_shared(label[row[0]]), std::memory_order_relaxed);
      mine.touch(row[0]);
      ++linked;
    }
    add_shared(mine.arcs_linked, linked);
  }
};

/// Prefetches the label of the second neighbor; the first was read a moment ago. Always inlined:
/// GCC would remove the calls, as calls without effects.
[[gnu::always_inline]] inline void prefetch_second(const Local& mine, std::int64_t v) {
  const auto row = mine.out.neighbors(v);
  if (row.size() > 1) __builtin_prefetch(mine.label + row[1]);
}

/// Links the first edges of each vertex, except those that have hooked it.
struct LinkFirst {
  Locals locals;
  std::int64_t rounds;
  void operator()(std::int64_t first, std::int64_t last) const {
    Local& mine = *locals;
    std::int64_t linked = 0;
    for (std::int64_t v = first; v < last; ++v) {
      mine.out.prefetch_in_order(v, last);
      if (v + tuning::kLabelsAhead < last) prefetch_second(mine, v + tuning::kLabelsAhead);
      const auto row = mine.out.neighbors(v);
      const auto count = std::min(std::ssize(row), rounds);
      for (std::int64_t i = hooks(v, row) ? 1 : 0; i < count; ++i) {
        const VertexId w = row[static_cast<std::size_t>(i)];
        link(mine.label, static_cast<VertexId>(v), w);
        mine.touch(w);
        ++linked;
      }
    }
    add_shared(mine.arcs_linked, linked);
  }
};

/// Links the edges that are left of one slice, except those of vertices with the label
/// `passed_over`.
struct LinkRest {
  Locals locals;
  std::int64_t rounds;
  VertexId passed_over;
  std::int64_t slice;
  std::int64_t slices;
  void operator()(std::int64_t first, std::int64_t last) const {
    Local& mine = *locals;
    std::int64_t linked = 0;
    const bool note = locale_count() > 1 && !mine.has_borders;
    const auto link_all = [&](std::int64_t v, std::span<const VertexId> row) {
      for (const VertexId w : row) {
        const VertexId hooked = link(mine.label, static_cast<VertexId>(v), w);
        if (note) mine.forests.note(hooked);
        mine.touch(w);
      }
      linked += static_cast<std::int64_t>(row.size());
    };
    for (std::int64_t v = first; v < last; ++v) {
      if (slices > 1 && v / kSliceBlock % slices != slice) {
        v = (v / kSliceBlock + 1) * kSliceBlock - 1;
        continue;
      }
      if (load_shared(mine.label[v]) == passed_over) continue;
      const auto row = mine.out.neighbors(v);
      link_all(v, row.subspan(std::min(row.size(), static_cast<std::size_t>(rounds))));
      if (mine.both_ways) link_all(v, mine.in.neighbors(v));
    }
    add_shared(mine.arcs_linked, linked);
  }
};

class Afforest {
 public:
  Afforest(const Graph& graph, const ComponentsOptions& options)
      : graph_(graph), options_(options), rounds_(options.neighbor_rounds) {
    result_.label = graph_.make_vertex_array_for_overwrite<VertexId>();
    // On one locale the result itself; else every locale has labels for all vertices.
    if (locale_count() > 1) {
      labels_ = Replica<VertexId>::create_for_overwrite(graph_.vertex_count());
      if (graph_.has_in_edges() && is_mostly_local(graph_)) {
        kBorderMerges.add();
        borders_ = BorderMerge::create(graph_, *labels_);
      } else {
        forests_ = ForestMerge::create(graph_, *labels_);
      }
    }
    locals_ = Locals::create();
    on_each_locale([graph = graph_, result = *result_.label, labels = *labels_,
                    has_borders = static_cast<bool>(borders_), borders = *borders_,
                    forests = *forests_, locals = *locals_] {
      Local& mine = *locals;
      mine.out = graph.out();
      mine.both_ways = graph.is_directed() && graph.has_in_edges();
      if (mine.both_ways) mine.in = graph.in();
      mine.begin = graph.locale_begin();
      mine.end = graph.locale_end();
      mine.label = locale_count() == 1 ? result.locale_part().data() : labels.data();
      mine.has_borders = has_borders;
      mine.borders = borders;
      mine.forests = forests;
      forall_range_here(0, graph.vertex_count(), [locals](std::int64_t first, std::int64_t last) {
        VertexId* const label = locals->label;
        for (std::int64_t v = first; v < last; ++v) label[v] = static_cast<VertexId>(v);
      });
    });
  }

  ComponentsResult run() {
    std::int64_t passed_over = kNoVertex;
    CheckpointSession session(options_.checkpoint, graph_, fmt::format("{} rounds", rounds_));
    session.add("label", *result_.label);
    session.add("passed over", passed_over);
    session.add("arcs linked", result_.arcs_linked);
    const std::int64_t slices = session.is_on() ? kSlices : 1;
    std::int64_t steps = session.resume();
    const auto step_done = [&] {
      mark_round("step", ++steps);
      if (steps <= slices && session.is_due(steps)) {
        merge(static_cast<VertexId>(passed_over));
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
      forall_vertices(graph_, LinkRest{*locals_, rounds_, static_cast<VertexId>(passed_over),
                                       steps - 1, slices});
      compress_own(static_cast<VertexId>(passed_over));
      step_done();
    }
    merge(static_cast<VertexId>(passed_over));
    publish();
    session.finish(steps);
    return std::move(result_);
  }

 private:
  /// Links the first edges of all vertices; returns the label that is frequent then, or none where
  /// edges are not seen from both ends.
  VertexId sample() {
    if (rounds_ > 0) {
      forall_vertices(graph_, HookFirst{*locals_});
      forall_vertices(graph_, LinkFirst{*locals_, rounds_});
    }
    if (locale_count() == 1) {
      compress_own(kNoVertex);
    } else if (borders_) {
      borders_->merge(kNoVertex);
    } else {
      forests_->merge_all();
    }
    if (!graph_.has_in_edges()) return kNoVertex;
    // With borders, a locale knows the labels of its own vertices only.
    const Local& mine = **locals_;
    const std::int64_t begin = borders_ ? mine.begin : 0;
    const std::int64_t end = borders_ ? mine.end : graph_.vertex_count();
    return frequent_of(end - begin, [label = mine.label, begin](std::uint64_t i) {
      return root_of(label, static_cast<std::uint64_t>(begin) + i);
    });
  }

  /// Copies the locales' labels to the result.
  void publish() {
    result_.arcs_linked +=
        reduce_locales([locals = *locals_] { return std::exchange(locals->arcs_linked, 0); });
    if (locale_count() == 1) return;
    on_all_locales([result = *result_.label, locals = *locals_] {
      const Local& mine = *locals;
      std::copy(mine.label + mine.begin, mine.label + mine.end, result.locale_part().begin());
    });
  }

  /// Copies the result to the locales' labels.
  void take_labels() {
    if (locale_count() == 1) return;
    on_all_locales([result = *result_.label, locals = *locals_] {
      const Local& mine = *locals;
      const auto labels = result.locale_part();
      std::copy_n(labels.begin(), mine.end - mine.begin, mine.label + mine.begin);
    });
    labels_->all_gather(vertices_of_locale(graph_));
    if (borders_) borders_->touch_all();  // those that were before the checkpoint are not known
  }

  /// The labels of a locale's own vertices, most of which are `usual`.
  void compress_own(VertexId usual) { forall_vertices(graph_, Compress{*locals_, usual}); }

  /// Lets every locale know what any of them has joined. Most of their labels are `usual`.
  void merge(VertexId usual) {
    if (locale_count() == 1) return;
    if (borders_) {
      borders_->merge(usual);
    } else {
      forests_->merge_noted();
    }
  }

  const Graph graph_;
  const ComponentsOptions& options_;
  const std::int64_t rounds_;
  ComponentsResult result_;
  Owned<Replica<VertexId>> labels_;
  // Of several locales, one of the two:
  Owned<BorderMerge> borders_;
  Owned<ForestMerge> forests_;
  Owned<Locals> locals_;
};

}  // namespace

ComponentsResult connected_components(const Graph& graph, const ComponentsOptions& options) {
  graph.require_live("connected_components");
  if (graph.vertex_count() == 0) return {.label = graph.make_vertex_array<VertexId>()};
  ComponentsResult result = Afforest(graph, options).run();
  label_by_given(graph, *result.label);
  return result;
}

std::vector<Component> component_table(const Graph& graph, const GlobalArray<VertexId>& label) {
  const std::int64_t n = graph.vertex_count();
  std::vector<Component> table;
  if (n == 0) return table;
  const Owned sizes = Replica<std::int64_t>::create(n);
  on_each_locale([graph, label, sizes = *sizes] {
    const std::int64_t begin = graph.locale_begin();
    const std::int64_t mine = graph.locale_end() - begin;
    if (mine == 0) return;
    // Most vertices have one label; those are counted apart, so that cores do not contend for one
    // counter.
    const auto part = label.locale_part();
    const VertexId frequent = frequent_of(mine, [part](std::uint64_t i) { return part[i]; });
    forall_range_here(0, mine, [label, sizes, frequent](std::int64_t first, std::int64_t last) {
      const VertexId* const labels = label.locale_part().data();
      std::int64_t of_frequent = 0;
      for (std::int64_t i = first; i < last; ++i) {
        if (labels[i] == frequent) {
          ++of_frequent;
        } else {
          add_shared(sizes.data()[labels[i]], 1);
        }
      }
      add_shared(sizes.data()[frequent], of_frequent);
    });
  });
  sizes->merge([](std::int64_t a, std::int64_t b) { return a + b; });
  const std::span<const std::int64_t> all = sizes->span();
  for (std::int64_t v = 0; v < n; ++v) {
    const std::int64_t size = all[static_cast<std::size_t>(v)];
    if (size != 0) table.push_back({graph.given(static_cast<VertexId>(v)), size});
  }
  // Single vertices, which may be most of them, mostly have their order already.
  const auto singles = std::ranges::stable_partition(
      table, [](std::int64_t size) { return size > 1; }, &Component::size);
  std::ranges::sort(table.begin(), singles.begin(), [](const Component& a, const Component& b) {
    return a.size != b.size ? a.size > b.size : a.label < b.label;
  });
  if (!std::ranges::is_sorted(singles, {}, &Component::label))
    std::ranges::sort(singles, {}, &Component::label);
  return table;
}

}  // namespace grappa::graph
