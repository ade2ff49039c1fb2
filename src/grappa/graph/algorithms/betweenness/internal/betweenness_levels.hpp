#pragma once

// What a locale does for a level of a search from a source; see betweenness.cpp, the only file that
// includes this.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/algorithms/betweenness/internal/path_count.hpp"
#include "grappa/graph/exec/core_lists.hpp"
#include "grappa/graph/exec/level_division.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rows_ahead.hpp"
#include "grappa/graph/exec/short_levels.hpp"
#include "grappa/graph/exec/take_vertices.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/exec/vertex_queue.hpp"
#include "grappa/graph/framework/push_edges.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph::betweenness_detail {

/// The numbers of a locale's vertices, those of even and odd levels apart.
template <PathCount Count>
struct Numbers {
  Count* paths[2];   // bottom-up reads those of other locales, too
  Count* credit[2];  // of all vertices
};

/// Entries [begin, end) of the queue: a locale's vertices of a level.
struct Window {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t arcs = 0;  // their out-edges
};

/// A locale's side of the work, which does not change during a level. Arrays of vertices are
/// shifted, so that the index is the vertex.
struct View {
  Graph graph;
  Adjacency out;
  Adjacency in;
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  double* score = nullptr;
  double halved = 1;  // 0.5 if undirected
  VertexId* queue = nullptr;
  std::uint64_t* seen = nullptr;  // the vertices of all levels before the one being found
  Numbers<double> narrow;
  Numbers<WidePathCount> wide;
  std::int64_t level = 1;  // the depth of the vertices being found
  Window frontier;

  template <PathCount Count>
  const Numbers<Count>& numbers() const {
    if constexpr (std::is_same_v<Count, double>) {
      return narrow;
    } else {
      return wide;
    }
  }
  std::int64_t word_begin() const { return bitmap_words(begin); }
  std::int64_t word_end() const { return bitmap_words(end); }
  bool is_mine(VertexId v) const { return v >= begin && v < end; }
  bool is_large(std::int64_t vertices) const {
    return vertices > (end - begin) / tuning::kLargePart;
  }
};

/// The state of a locale, which its cores share, with what all of them add to during a level.
struct Local : View {
  std::vector<Window> windows;        // by depth
  CoreLists<VertexId> found;          // Division::kInOrder: what goes to the queue
  alignas(64) std::int64_t tail = 0;  // of the queue
  std::int64_t arcs = 0;              // out-edges of the vertices found
  std::int64_t too_great = 0;         // how many grains met counts that are
};
using Locals = LocaleState<Local>;

/// Prefetches the values of the first neighbors of a vertex to come. Always inlined: GCC would
/// remove the calls, as calls without effects.
template <PathCount Count>
[[gnu::always_inline]] inline void prefetch_values(const Adjacency& out,
                                                   std::span<const VertexId> queue, std::int64_t i,
                                                   const Count* values) {
  if (i + tuning::kValuesAhead >= std::ssize(queue)) return;
  const auto row = out.neighbors(queue[static_cast<std::size_t>(i + tuning::kValuesAhead)]);
  for (const VertexId v : row.first(std::min(row.size(), tuning::kValuesOfRow)))
    __builtin_prefetch(values + v);
}

/// Paths for a vertex of another locale, from its in-neighbor here.
template <PathCount Count, bool kAlone>
struct Visit {
  Locals locals;
  std::uint64_t vertex;
  Count paths;

  void operator()() const {
    Local& mine = *locals;
    const auto v = untagged(vertex);
    if (test_bit(mine.seen, v)) return;
    if (add_paths<kAlone>(mine.numbers<Count>().paths[mine.level % 2][v], paths))
      QueueWriter(mine.tail, mine.queue).push(v);
  }
};

/// Paths for the neighbors on this core of a split hub of another locale.
template <PathCount Count, bool kAlone>
struct VisitFromHub {
  Locals locals;
  std::uint64_t hub;
  Count paths;

  void operator()() const {
    Local& mine = *locals;
    Count* const next = mine.numbers<Count>().paths[mine.level % 2];
    QueueWriter writer(mine.tail, mine.queue);
    push_hub_edges<UnitWeight>(mine.graph, hub, [&](VertexId v, UnitWeight) {
      if (!test_bit(mine.seen, v) && add_paths<kAlone>(next[v], paths)) writer.push(v);
    });
  }
};

/// A vertex's credit, for another locale's copy.
template <PathCount Count>
struct Credit {
  Locals locals;
  std::uint64_t vertex;
  std::int64_t parity;
  Count credit;

  void operator()() const {
    locals->template numbers<Count>().credit[parity][untagged(vertex)] = credit;
  }
};

/// Sends paths and credits at once: the loop over all locales ends when all have arrived.
template <PathCount Count>
struct SendNow {
  Locals locals;

  template <bool kAlone>
  void paths(const Graph& graph, VertexId v, Count count) const {
    using RemoteVisit = Visit<Count, kAlone>;
    delegate::async::call(graph.home(v), RemoteVisit{locals, v | kVertexTag, count});
  }
  void credit(int core, VertexId v, std::int64_t parity, Count count) const {
    delegate::async::call(core, Credit<Count>{locals, v | kVertexTag, parity, count});
  }
};

/// Keeps them for the end of the superstep.
template <PathCount Count>
struct SendAtEnd {
  struct Item {
    VertexId vertex;
    Count count;
  };
  Exchange exchange;

  template <bool kAlone>
  void paths(const Graph& graph, VertexId v, Count count) const {
    exchange.add(locale_of(graph.home(v)), Item{v, count});
  }
  void credit(int core, VertexId v, std::int64_t, Count count) const {
    exchange.add(locale_of(core), Item{v, count});
  }
};

/// Follows the out-edges of entries [first, last) of the queue. With Division::kNone, no other core
/// of the locale does anything for the search meanwhile.
template <PathCount Count, Division kDivision, class Send>
struct TopDown {
  static constexpr bool kAlone = kDivision == Division::kNone;
  Locals locals;
  Send send;

  void operator()(std::int64_t first, std::int64_t last) const {
    Local& mine = *locals;
    const View now = mine;
    const Count* const paths = now.numbers<Count>().paths[(now.level + 1) % 2];
    Count* const next = now.numbers<Count>().paths[now.level % 2];
    LevelWriter<kDivision> writer(mine.tail, mine.queue, mine.found);
    const std::span<const VertexId> queue(now.queue, static_cast<std::size_t>(now.frontier.end));
    // In registers over the edges, unlike what is in `now`, whose graph is passed on by address.
    const std::uint64_t* const seen = now.seen;
    const std::int64_t begin = now.begin;
    const std::int64_t end = now.end;
    // Inlined by order, as below: called for each vertex, it is an eighth of the search.
    const auto follow = [&](std::int64_t i) __attribute__((always_inline)) {
      prefetch_values(now.out, queue, i, next);
      const VertexId u = now.queue[i];
      const Count mine_paths = paths[u];
      push_edges<UnitWeight>(
          now.graph, now.out, u,
          [&](VertexId v, UnitWeight) {
            if (v < begin || v >= end) {
              send.template paths<kAlone>(now.graph, v, mine_paths);
            } else if (!test_bit(seen, v) && add_paths<kAlone>(next[v], mine_paths)) {
              writer.push(v);
            }
          },
          [&](int core, std::uint64_t hub) {
            delegate::async::call(core, VisitFromHub<Count, kAlone>{locals, hub, mine_paths});
          });
    };
    for_each_ahead(now.out, queue, first, last, follow);
  }
};

/// Takes entries [first, last) of the queue, found top-down, into the level.
template <PathCount Count, bool kAlone>
struct TakeFromQueue {
  Locals locals;

  void operator()(std::int64_t first, std::int64_t last) const {
    Local& mine = *locals;
    const Count* const paths = mine.numbers<Count>().paths[mine.level % 2];
    std::int64_t arcs = 0;
    bool too_great = false;
    for (std::int64_t i = first; i < last; ++i) {
      const VertexId v = mine.queue[i];
      if constexpr (kAlone) {
        mine.seen[v / kBitsPerWord] |= std::uint64_t{1} << (v % kBitsPerWord);
      } else {
        claim_bit(mine.seen, v);
      }
      arcs += mine.out.degree(v);
      too_great |= nearly_too_great(paths[v]);
    }
    add_shared(mine.arcs, arcs);
    add_shared(mine.too_great, too_great);
  }
};

/// Goes through the vertices whose bits are not set in words [first, last) of `seen`, and takes
/// those with paths, by paths_to(v), into the level.
template <PathCount Count, class PathsTo>
void take_from_words(Local& mine, std::int64_t first, std::int64_t last, PathsTo paths_to) {
  QueueWriter writer(mine.tail, mine.queue);
  bool too_great = false;
  const Taken taken = take_vertices(
      first, last, mine.out, [&](std::int64_t word) { return ~mine.seen[word]; },
      [&](VertexId v) {
        const Count paths = paths_to(v);
        if (is_zero(paths)) return false;
        too_great |= nearly_too_great(paths);
        writer.push(v);
        return true;
      },
      [&](std::int64_t word, std::uint64_t reached) {
        if (reached != 0) mine.seen[word] |= reached;
      });
  add_shared(mine.arcs, taken.arcs);
  add_shared(mine.too_great, too_great);
}

/// The same as TakeFromQueue for a large level: fills the queue anew, in order.
template <PathCount Count>
struct TakeInOrder {
  Locals locals;

  void operator()(std::int64_t first, std::int64_t last) const {
    Local& mine = *locals;
    const Count* const paths = mine.numbers<Count>().paths[mine.level % 2];
    take_from_words<Count>(mine, first, last, [paths](VertexId v) { return paths[v]; });
  }
};

/// Sums the paths to the vertices that are not reached.
template <PathCount Count>
struct BottomUp {
  Locals locals;

  void operator()(std::int64_t first, std::int64_t last) const {
    Local& mine = *locals;
    const Adjacency in = mine.in;
    const Count* const paths = mine.numbers<Count>().paths[(mine.level + 1) % 2];
    Count* const next = mine.numbers<Count>().paths[mine.level % 2];
    take_from_words<Count>(mine, first, last, [in, paths, next](VertexId v) {
      const auto row = in.neighbors(v);
      prefetch_behind(row);
      const Count sum = sum_row(row, paths);
      if (!is_zero(sum)) next[v] = sum;
      return sum;
    });
  }
};

/// Sends the credit of a vertex to every other locale that has an in-neighbor of it.
template <PathCount Count, class Send>
void send_credit(const View& now, VertexId v, std::int64_t parity, Count credit, const Send& send) {
  const std::span<const VertexId> row = now.in.neighbors(v);
  // As for most vertices of a grid; finding the homes takes longer than everything else for a
  // vertex.
  if (row.empty() || (now.is_mine(row.front()) && now.is_mine(row.back()))) return;
  for (auto u = row.begin(); u != row.end();) {
    const int home = now.graph.home(*u);
    if (!now.is_mine(*u)) send.credit(home, v, parity, credit);
    const std::int64_t others = now.graph.first_vertex_of(home / cores_per_locale() + 1);
    u = std::partition_point(u, row.end(), [others](VertexId w) { return w < others; });
  }
}

/// Scores entries [first, last) of the queue, of level `depth`.
template <PathCount Count>
struct Backward {
  Locals locals;
  Exchange exchange;
  std::int64_t depth;
  bool is_deepest;
  bool sends;  // credits to other locales

  void operator()(std::int64_t first, std::int64_t last) const {
    const View now = *locals;
    const Numbers<Count>& numbers = now.numbers<Count>();
    const Count* const paths = numbers.paths[depth % 2];
    const Count* const below = numbers.credit[(depth + 1) % 2];
    Count* const credits = numbers.credit[depth % 2];
    const std::span<const VertexId> queue(now.queue, static_cast<std::size_t>(last));
    // Inlined by order: GCC would call it for each vertex, a tenth of the time of this loop.
    const auto score = [&](std::int64_t i) __attribute__((always_inline)) {
      prefetch_values(now.out, queue, i, below);
      const std::span<const VertexId> rest = queue.subspan(static_cast<std::size_t>(i));
      if (tuning::kRowsAhead < rest.size()) {
        const VertexId ahead = rest[tuning::kRowsAhead];
        __builtin_prefetch(paths + ahead);
        __builtin_prefetch(credits + ahead);
        __builtin_prefetch(now.score + ahead);
      }
      const VertexId v = now.queue[i];
      Count sum{};
      if (!is_deepest) {
        sum = sum_row(now.out.neighbors(v), below);
        now.score[v] += now.halved * product(paths[v], sum);
      }
      const Count credit = plus(inverse(paths[v]), sum);
      credits[v] = credit;
      if (sends) send_credit(now, v, depth % 2, credit, SendAtEnd<Count>{exchange});
    };
    for_each_ahead(now.out, queue, first, last, score);
  }
};

/// Forgets entries [first, last) of the queue.
template <PathCount Count>
struct Forget {
  Locals locals;
  bool sends;

  void operator()(std::int64_t first, std::int64_t last) const {
    const View now = *locals;
    const Numbers<Count>& numbers = now.numbers<Count>();
    for (std::int64_t i = first; i < last; ++i) {
      const VertexId v = now.queue[i];
      const std::uint64_t bit = std::uint64_t{1} << (v % kBitsPerWord);
      std::atomic_ref(now.seen[v / kBitsPerWord]).fetch_and(~bit, std::memory_order_relaxed);
      for (const std::int64_t parity : {0, 1}) {
        numbers.paths[parity][v] = numbers.credit[parity][v] = Count{};
        if (sends) send_credit(now, v, parity, Count{}, SendNow<Count>{locals});
      }
    }
  }
};

/// The vertices of a level, on a locale or on all.
struct Level {
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;  // their out-edges
  bool too_great = false;
};

inline Level operator+(const Level& a, const Level& b) {
  return {a.vertices + b.vertices, a.arcs + b.arcs, a.too_great || b.too_great};
}

/// Follows a locale's part of the frontier.
template <PathCount Count, class Send>
void top_down(const Locals& locals, bool visits_arrive, const Send& send) {
  const Window frontier = locals->frontier;
  const Division division = division_of(frontier.arcs);
  with_division(division, visits_arrive, [&]<Division kDivision>(DivisionConstant<kDivision>) {
    for_window(frontier.begin, frontier.end, division,
               TopDown<Count, kDivision, Send>{locals, send});
  });
}

/// Ends a level that was found top-down or bottom-up: on each locale.
template <PathCount Count>
Level take_level(const Locals& locals, bool top_down) {
  Local& mine = *locals;
  const std::int64_t begin = mine.frontier.end;
  if (top_down) {
    append_lists(mine.found, mine.tail, mine.queue);
    const std::int64_t found = mine.tail - begin;
    const Division division = division_of(found * tuning::kArcsOfTaking);
    if (division == Division::kNone) {
      TakeFromQueue<Count, true>{locals}(begin, mine.tail);
    } else if (mine.is_large(found)) {
      mine.tail = begin;
      forall_range_here(mine.word_begin(), mine.word_end(), TakeInOrder<Count>{locals});
    } else {
      for_window(begin, mine.tail, division, TakeFromQueue<Count, false>{locals});
    }
  }
  mine.frontier = {begin, mine.tail, std::exchange(mine.arcs, 0)};
  mine.windows.push_back(mine.frontier);
  ++mine.level;
  return {mine.frontier.end - begin, mine.frontier.arcs, std::exchange(mine.too_great, 0) > 0};
}

/// A run of short levels (short_levels.hpp), which ends where paths become many.
template <PathCount Count>
ShortLevels<Level> short_levels(const Locals& locals, const Exchange& exchange,
                                const LevelArcs& lengths) {
  using Item = typename SendAtEnd<Count>::Item;
  Local& mine = *locals;
  const Window frontier = mine.frontier;
  return find_short_levels<Item>(
      exchange, lengths, Level{frontier.end - frontier.begin, frontier.arcs},
      [&] { top_down<Count>(locals, false, SendAtEnd<Count>{exchange}); },
      [&mine](std::span<const Item> visits) {
        Count* const paths = mine.numbers<Count>().paths[mine.level % 2];
        QueueWriter writer(mine.tail, mine.queue);
        for (const auto [v, count] : visits) {
          if (!test_bit(mine.seen, v) && add_paths<true>(paths[v], count)) writer.push(v);
        }
      },
      [&] { return take_level<Count>(locals, true); },
      [](const Level& level) { return level.too_great; });
}

/// Scores the levels from depth `from` up to `to`. Run by one task of each locale at the same time;
/// on several, the credits of a level are exchanged after it, unless the locales are going to
/// exchange their arrays.
template <PathCount Count>
void backward(const Locals& locals, const Exchange& exchange, std::int64_t from, std::int64_t to,
              bool is_deepest, bool will_share) {
  using Item = typename SendAtEnd<Count>::Item;
  const Local& mine = *locals;
  const bool exchanges = locale_count() > 1 && !will_share;
  Exchange::supersteps([&] {
    for (std::int64_t depth = from; depth >= to; --depth) {
      const Window window = mine.windows[static_cast<std::size_t>(depth)];
      for_window(window.begin, window.end, division_of(window.arcs),
                 Backward<Count>{locals, exchange, depth, is_deepest && depth == from, exchanges});
      if (!exchanges) continue;
      Count* const credits = mine.numbers<Count>().credit[depth % 2];
      exchange.end_superstep<Item>(
          true,
          [credits](std::span<const Item> items) {
            for (const auto [v, credit] : items) credits[v] = credit;
          },
          [](bool a, bool) { return a; });
    }
  });
}

}  // namespace grappa::graph::betweenness_detail
