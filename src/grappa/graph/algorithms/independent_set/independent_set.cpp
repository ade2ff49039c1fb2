// The greedy set in rounds, after Blelloch, Fineman and Shun [1]: a vertex is in the set as soon as
// all neighbors before it in the order are known to be out; its neighbors are then out. Each vertex
// remembers the neighbor that it waited for last, and continues from there in the next round, so
// that every edge is read about once.
//
// Every locale has the state of all vertices: it marks neighbors of its own vertices as out
// wherever they live, and after each round the locales merge their states. With several locales a
// round therefore moves one byte for each vertex. Where most neighbors are on the same locale, each
// gets only the states of its halo, from their homes; a home finds by itself what others have
// marked as out there, since a vertex never looks past an earlier one that is undecided.
//
// [1] G. Blelloch, J. Fineman, J. Shun, "Greedy sequential maximal independent set and matching are
//     parallel on average", SPAA 2012.
#include "grappa/graph/algorithms/independent_set/independent_set.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <utility>

#include "grappa/container/replica.hpp"
#include "grappa/graph/exec/core_lists.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/structure/internal/halo.hpp"
#include "grappa/graph/structure/internal/vertex_order.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {
namespace {

/// Ordered by how much is known: states of several locales merge to the greatest.
enum State : std::uint8_t { kUndecided = 0, kOut = 1, kIn = 2 };

using RowIndex = std::make_unsigned_t<VertexId>;  // a row may have nearly as many as there are

/// The state of a locale, which its cores share. Arrays of vertices are indexed by the vertex.
struct Local {
  Adjacency out;
  std::uint8_t* state = nullptr;  // of all vertices
  RowIndex* looked = nullptr;     // edges of its row that a vertex has done with
  CoreLists<VertexId> current;    // vertices that are undecided
  CoreLists<VertexId> next;

  State state_of(VertexId v) const {
    return static_cast<State>(std::atomic_ref(state[v]).load(std::memory_order_relaxed));
  }
  void set(VertexId v, State to) const {
    std::atomic_ref(state[v]).store(to, std::memory_order_relaxed);
  }

  void decide(VertexId v) {
    if (state_of(v) != kUndecided) return;
    const std::span<const VertexId> row = out.neighbors(v);
    for (RowIndex& i = looked[v]; i < row.size(); ++i) {
      const VertexId w = row[i];
      const State of_neighbor = state_of(w);
      if (of_neighbor == kIn) return set(v, kOut);
      if (of_neighbor == kUndecided && random_rank(w) > random_rank(v)) {
        next.mine().push_back(v);
        return;
      }
    }
    set(v, kIn);
    for (const VertexId w : row) {
      if (w != v) set(w, kOut);
    }
  }
};
using Locals = LocaleState<Local>;

struct DecideRange {
  Locals locals;
  void operator()(std::int64_t first, std::int64_t last) const {
    Local& mine = *locals;
    mine.current.for_range(first, last, [&](std::span<const VertexId> vertices) {
      for (const VertexId v : vertices) mine.decide(v);
    });
  }
};

class Selection {
 public:
  explicit Selection(const Graph& graph) : graph_(graph) { create(); }

  IndependentSetResult run() {
    IndependentSetResult result;
    // The first round takes the vertices in their own order, the others what is left.
    forall_vertices(graph_, [locals = *locals_](std::int64_t first, std::int64_t last) {
      Local& mine = *locals;
      for (std::int64_t v = first; v < last; ++v) mine.decide(static_cast<VertexId>(v));
    });
    for (result.rounds = 1; next_round() > 0; ++result.rounds) {
      mark_round("round", result.rounds);
      on_each_locale([locals = *locals_] {
        forall_range_here(0, locals->current.size(), DecideRange{locals});
      });
    }
    result.in_set = graph_.make_vertex_array_for_overwrite<std::uint8_t>();
    result.size = reduce_cores(
        [in_set = *result.in_set, state = *state_, graph = graph_] {
          auto at = in_set.local().begin();
          std::int64_t members = 0;
          for (std::int64_t v = graph.core_begin(); v < graph.core_end(); ++v) {
            const bool is_in = state.data()[v] == kIn;
            *at++ = is_in;
            members += is_in;
          }
          return members;
        },
        std::int64_t{0}, std::plus<>());
    return result;
  }

 private:
  void create() {
    state_ = Replica<std::uint8_t>::create(graph_.vertices_per_core() * core_count());
    looked_ = Replica<RowIndex>::create(graph_.vertices_per_core() * cores_per_locale());
    if (is_mostly_local(graph_)) halo_ = Halo::of_edges(graph_, Edges::kIn);
    locals_ = Locals::create();
    on_each_locale([graph = graph_, locals = *locals_, state = *state_, looked = *looked_] {
      Local& mine = *locals;
      mine.out = graph.out();
      mine.state = state.data();
      mine.looked = looked.data() - graph.locale_begin();
    });
  }

  /// Tells all locales what was decided; how many vertices are left, over all of them.
  std::int64_t next_round() {
    if (halo_) {
      halo_->exchange(*state_);
    } else {
      state_->merge([](std::uint8_t a, std::uint8_t b) { return std::max(a, b); });
    }
    return reduce_locales(
        [locals = *locals_] { return begin_round(locals->current, locals->next); });
  }

  const Graph graph_;
  Owned<Replica<std::uint8_t>> state_;
  Owned<Replica<RowIndex>> looked_;
  Owned<Halo> halo_;  // if most neighbors are on the same locale
  Owned<Locals> locals_;
};

}  // namespace

IndependentSetResult maximal_independent_set(const Graph& graph) {
  graph.require_live("maximal independent set");
  graph.require_undirected("maximal independent set");
  return Selection(graph).run();
}

}  // namespace grappa::graph
