// Peeling: for ascending k, vertices with at most k neighbors left are removed, and get core number
// k, until none is left with so few. Within a level a core continues with the vertices that its own
// removals bring down to k, as in PKC [1], which saves most of the rounds; after some thousand it
// leaves the rest to all cores of the locale, since a chain of removals may run through the whole
// graph.
//
// The number of neighbors left becomes the core number: it is never lowered below the k of the
// level, so a removed vertex keeps its k. Between levels a pass over the remaining vertices finds
// the least number of neighbors, which is the next k, and the vertices that have it. A vertex is
// visited at most once for each k up to its core number, so all these passes together take no more
// than one over the edges.
//
// When a vertex is removed, the other locales learn which of their vertices have lost a neighbor:
// parts of its row are collected and sent in large pieces. Vertices that this brings down to k are
// removed in the next round.
//
// [1] H. Kabir, K. Madduri, "Parallel k-core decomposition on multicore platforms", IPDPS Workshops
//     2017.
#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "grappa/graph/exec/core_lists.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/exec/rows_ahead.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/send_span.hpp"

namespace grappa::graph {
namespace {

constexpr CoreNumber kNone = std::numeric_limits<CoreNumber>::max();

/// A core's own.
struct alignas(64) CoreState {
  std::vector<VertexId> chased;                 // memory for a list
  std::vector<std::vector<VertexId>> outgoing;  // by locale: of its vertices, neighbors removed
  CoreNumber least = kNone;                     // that a vertex of `lowest` has left
};

/// The state of a locale, which its cores share. `left` is indexed by the vertex.
struct Local {
  Graph graph;
  Adjacency out;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool alone = false;          // one core
  CoreNumber* left = nullptr;  // neighbors
  std::vector<CoreState> cores;
  CoreLists<VertexId> remaining;  // when the level began
  CoreLists<VertexId> kept;       // for the next level
  CoreLists<VertexId> lowest;     // of a core's part of `remaining`, those with the least left
  CoreLists<VertexId> current;    // to be removed in this round
  CoreLists<VertexId> next;       // and in the next

  CoreState& mine() { return cores[core_in_locale()]; }

  /// A neighbor of v was removed at level k; true if v must now be removed, too.
  bool lose_neighbor(VertexId v, CoreNumber k) const {
    if (alone) {
      if (left[v] <= k) return false;
      --left[v];
      return left[v] == k;
    }
    return count_down_shared(left[v], k);
  }

  /// Notes a vertex as one of those that are left.
  void keep(VertexId v, CoreNumber degree) {
    kept.mine().push_back(v);
    CoreState& state = mine();
    if (degree > state.least) return;
    if (degree < state.least) lowest.mine().clear();
    state.least = degree;
    lowest.mine().push_back(v);
  }
};
using Locals = LocaleState<Local>;

/// Vertices of this locale have lost a neighbor.
struct LoseNeighbors {
  Locals locals;
  CoreNumber k;

  void operator()(std::span<const VertexId> vertices, std::size_t) const {
    Local& local = *locals;
    std::vector<VertexId>& next = local.next.mine();
    for (const VertexId v : vertices) {
      if (local.lose_neighbor(v, k)) next.push_back(v);
    }
  }
};

void send_lost(Locals locals, CoreNumber k, int locale, const std::vector<VertexId>& vertices) {
  send_span(first_core_of(locale) + static_cast<int>(core_in_locale()),
            std::span<const VertexId>(vertices), LoseNeighbors{locals, k});
}

/// Removes vertices at level k.
class Remover {
 public:
  Remover(Locals locals, CoreNumber k) : locals_(locals), share_(*locals), k_(k) {
    std::swap(chased_, share_.mine().chased);
  }
  ~Remover() {
    chased_.clear();
    std::swap(chased_, share_.mine().chased);
  }
  Remover(const Remover&) = delete;
  Remover& operator=(const Remover&) = delete;

  /// Places [first, last) of a list.
  void remove(std::span<const VertexId> list, std::int64_t first, std::int64_t last) {
    for_each_ahead(share_.out, list, first, last,
                   [&](std::int64_t i) { remove(list[static_cast<std::size_t>(i)]); });
  }

  /// What has come down to k by that, and what comes down by these …
  void chase() {
    std::size_t done = 0;
    for (; done < std::min(chased_.size(), tuning::kMaxChased); ++done) {
      prefetch_ahead(share_.out, std::span<const VertexId>(chased_).subspan(done));
      remove(chased_[done]);
    }
    std::vector<VertexId>& next = share_.next.mine();
    next.insert(next.end(), chased_.begin() + static_cast<std::ptrdiff_t>(done), chased_.end());
  }

 private:
  void remove(VertexId v) {
    // Rows are ascending, and locales have consecutive vertices.
    const std::span<const VertexId> row = share_.out.neighbors(v);
    auto at = row.begin();
    while (at != row.end()) {
      if (*at >= share_.begin && *at < share_.end) {
        for (; at != row.end() && *at < share_.end; ++at) {
          if (share_.lose_neighbor(*at, k_)) chased_.push_back(*at);
        }
      } else {
        at = tell_other(at, row.end());
      }
    }
  }

  /// The neighbors of one other locale, from `at` on; returns where they end.
  template <class Iterator>
  Iterator tell_other(Iterator at, Iterator end) {
    const int locale = share_.graph.home(*at) / cores_per_locale();
    const auto last = std::lower_bound(at, end, share_.graph.first_vertex_of(locale + 1),
                                       [](VertexId w, std::int64_t first) { return w < first; });
    std::vector<VertexId>& held = share_.mine().outgoing[static_cast<std::size_t>(locale)];
    held.insert(held.end(), at, last);
    // Sending may switch tasks, and others hold vertices meanwhile.
    if (held.size() >= tuning::kMaxHeld) send_lost(locals_, k_, locale, std::exchange(held, {}));
    return last;
  }

  Locals locals_;
  Local& share_;
  CoreNumber k_;
  std::vector<VertexId> chased_;
};

/// Entries [first, last) of this round.
struct RemoveRange {
  Locals locals;
  CoreNumber k;
  void operator()(std::int64_t first, std::int64_t last) const {
    Remover remover(locals, k);
    locals->current.for_places(first, last, [&](auto list, std::int64_t from, std::int64_t to) {
      remover.remove(list, from, to);
    });
    remover.chase();
  }
};

/// The vertices before the first level: those with neighbors are left.
struct Begin {
  Locals locals;
  void operator()(std::int64_t first, std::int64_t last) const {
    Local& local = *locals;
    for (std::int64_t v = first; v < last; ++v) {
      const auto degree = static_cast<CoreNumber>(local.out.degree(v));
      local.left[v] = degree;
      if (degree > 0) local.keep(static_cast<VertexId>(v), degree);
    }
  }
};

/// After level k, entries [first, last) of those who were left before it.
struct Keep {
  Locals locals;
  CoreNumber k;
  void operator()(std::int64_t first, std::int64_t last) const {
    Local& local = *locals;
    local.remaining.for_range(first, last, [&](std::span<const VertexId> vertices) {
      for (const VertexId v : vertices) {
        if (local.left[v] > k) local.keep(v, local.left[v]);
      }
    });
  }
};

/// The vertices that are left, on a locale or on all.
struct Left {
  CoreNumber least = kNone;  // neighbors left
  std::int64_t vertices = 0;

  friend Left operator+(const Left& a, const Left& b) {
    return {std::min(a.least, b.least), a.vertices + b.vertices};
  }
};

class Peeling {
 public:
  explicit Peeling(const Graph& graph) : graph_(graph) { create(); }

  CoreNumbersResult run() {
    result_.innermost = graph_.vertex_count();
    Left left = begin();
    while (left.vertices > 0) {
      const CoreNumber k = left.least;
      mark_round("core", k);
      result_.degeneracy = k;
      result_.innermost = left.vertices;
      for (bool first = true; remove_round(k, first) > 0;) first = false;
      left = end_level(k);
    }
    return std::move(result_);
  }

 private:
  void create() {
    result_.core = graph_.make_vertex_array_for_overwrite<CoreNumber>();
    locals_ = Locals::create();
    on_each_locale([graph = graph_, locals = *locals_, core = *result_.core] {
      Local& local = *locals;
      local.graph = graph;
      local.out = graph.out();
      local.begin = graph.locale_begin();
      local.end = graph.locale_end();
      local.alone = cores_per_locale() == 1;
      local.left = core.locale_part().data() - local.begin;
      local.cores.resize(static_cast<std::size_t>(cores_per_locale()));
      for (CoreState& state : local.cores)
        state.outgoing.resize(static_cast<std::size_t>(locale_count()));
    });
  }

  /// What has been kept is what is left.
  static Left take_kept(Local& local) {
    Left left{.vertices = begin_round(local.remaining, local.kept)};
    for (const CoreState& state : local.cores) left.least = std::min(left.least, state.least);
    return left;
  }

  /// In the first round those are removed who have k neighbors left.
  static void take_lowest(Local& local, CoreNumber k) {
    local.current.clear();
    for (int core = 0; core < cores_per_locale(); ++core) {
      CoreState& state = local.cores[static_cast<std::size_t>(core)];
      if (state.least == k) std::swap(local.current.of(core), local.lowest.of(core));
      state.least = kNone;
    }
    local.lowest.clear();
  }

  Left begin() {
    return reduce_locales([locals = *locals_] {
      Local& local = *locals;
      forall_range_here(local.begin, local.end, Begin{locals});
      return take_kept(local);
    });
  }

  Left end_level(CoreNumber k) {
    return reduce_locales([locals = *locals_, k] {
      Local& local = *locals;
      forall_range_here(0, local.remaining.size(), Keep{locals, k});
      return take_kept(local);
    });
  }

  /// Returns how many vertices are to be removed in the next round.
  std::int64_t remove_round(CoreNumber k, bool first) {
    stop_if_cancelled();
    on_each_locale([locals = *locals_, k, first] {
      Local& local = *locals;
      if (first) take_lowest(local, k);
      over_grains(local.current.size(), tuning::kVertexGrain, RemoveRange{locals, k});
      for (CoreState& state : local.cores) {
        for (int locale = 0; locale < locale_count(); ++locale) {
          auto& held = state.outgoing[static_cast<std::size_t>(locale)];
          if (!held.empty()) send_lost(locals, k, locale, std::exchange(held, {}));
        }
      }
    });
    return reduce_locales(
        [locals = *locals_] { return begin_round(locals->current, locals->next); });
  }

  const Graph graph_;
  CoreNumbersResult result_;
  Owned<Locals> locals_;
};

}  // namespace

CoreNumbersResult core_numbers(const Graph& graph) {
  graph.require_live("core numbers");
  graph.require_undirected("core numbers");
  return Peeling(graph).run();
}

}  // namespace grappa::graph
