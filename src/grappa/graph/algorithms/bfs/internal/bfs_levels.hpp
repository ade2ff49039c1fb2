#pragma once

// What a locale does for a level of a breadth-first search; see bfs.cpp, the only file that
// includes this.

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/exec/core_lists.hpp"
#include "grappa/graph/exec/level_division.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rows_ahead.hpp"
#include "grappa/graph/exec/short_levels.hpp"
#include "grappa/graph/exec/vertex_queue.hpp"
#include "grappa/graph/framework/push_edges.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph::bfs_detail {

/// A locale's side of a search, which does not change during a level. Arrays of vertices are
/// shifted, so that the index is the vertex.
struct View {
  Graph graph;
  Adjacency out;
  Adjacency in;
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  VertexId* parent = nullptr;
  std::int32_t* depth = nullptr;
  VertexId* queue = nullptr;
  std::uint64_t* seen = nullptr;
  std::uint64_t* frontier = nullptr;
  std::uint64_t* next = nullptr;
  std::int32_t level = 1;         // the depth of the vertices being found
  std::int64_t window_begin = 0;  // the frontier is queue[window_begin, window_end)
  std::int64_t window_end = 0;
  std::int64_t window_arcs = 0;  // its out-edges

  bool is_mine(VertexId v) const { return v >= begin && v < end; }
  std::int64_t word_begin() const { return bitmap_words(begin); }
  std::int64_t word_end() const { return bitmap_words(end); }
  /// Writes the results for a vertex that is found; returns how many out-edges it has.
  std::int64_t reach(VertexId v, VertexId from) const {
    parent[v] = from;
    depth[v] = level;
    return out.degree(v);
  }
  /// All entries of the queue that are not being written.
  std::span<const VertexId> known() const { return {queue, static_cast<std::size_t>(window_end)}; }
};

/// The state of a locale, which its cores share, with what all of them add to during a level.
struct Local : View {
  CoreLists<VertexId> found_in_order;
  alignas(64) std::int64_t tail = 0;  // of the queue
  std::int64_t found = 0;             // bottom-up: vertices found
  std::int64_t arcs = 0;              // out-edges of the vertices found
};
using Locals = LocaleState<Local>;

/// Writes the results for vertices that were found, many at a time: then the cache lines of the
/// arrays are fetched together, not one by one between the edges that lead to the vertices.
class FoundVertices {
 public:
  explicit FoundVertices(const View& now)
      : out_(now.out), parent_(now.parent), depth_(now.depth), level_(now.level) {}

  void add(VertexId v, VertexId parent) {
    parents_[count_] = parent;
    vertices_[count_++] = v;
    if (count_ == vertices_.size()) write();
  }
  /// Writes the last of them, and returns how many out-edges all have.
  std::int64_t finish() {
    write();
    return arcs_;
  }

 private:
  void write() {
    for (std::size_t i = 0; i < count_; ++i) {
      const VertexId v = vertices_[i];
      arcs_ += out_.degree(v);
      depth_[v] = level_;
      parent_[v] = parents_[i];
    }
    count_ = 0;
  }

  const Adjacency out_;
  VertexId* parent_;
  std::int32_t* depth_;
  std::int32_t level_;
  std::int64_t arcs_ = 0;
  std::size_t count_ = 0;
  std::array<VertexId, 512> vertices_;
  std::array<VertexId, 512> parents_;
};

/// A visit to a vertex of another locale.
struct Visit {
  Locals locals;
  std::uint64_t vertex;
  std::uint64_t parent;

  void operator()() const {
    Local& mine = *locals;
    const auto v = untagged(vertex);
    if (!claim_bit(mine.seen, v)) return;
    add_shared(mine.arcs, mine.reach(v, untagged(parent)));
    QueueWriter(mine.tail, mine.queue).push(v);
  }
};

/// Sends visits at once: the loop over all locales ends when all have been run.
struct VisitNow {
  Locals locals;

  void operator()(const Graph& graph, VertexId v, VertexId parent) const {
    delegate::async::call(graph.home(v), Visit{locals, v | kVertexTag, parent | kVertexTag});
  }
};

/// Keeps visits for the end of the superstep. Not inlined: then the loop over edges, most of which
/// stay on this locale, keeps its registers.
struct VisitAtEnd {
  struct Item {
    VertexId vertex;
    VertexId parent;
  };
  Exchange exchange;

  [[gnu::noinline]] void operator()(const Graph& graph, VertexId v, VertexId parent) const {
    exchange.add(locale_of(graph.home(v)), Item{v, parent});
  }
};

/// A visit to the neighbors on this core of a split hub of another locale.
struct VisitFromHub {
  Locals locals;
  std::uint64_t hub;

  void operator()() const {
    Local& mine = *locals;
    const VertexId parent = mine.graph.hubs()[hub];
    std::int64_t arcs = 0;
    {
      QueueWriter writer(mine.tail, mine.queue);
      push_hub_edges<UnitWeight>(mine.graph, hub, [&](VertexId v, UnitWeight) {
        if (!claim_unset_bit<false>(mine.seen, v)) return;
        arcs += mine.reach(v, parent);
        writer.push(v);
      });
    }
    add_shared(mine.arcs, arcs);
  }
};

/// Top-down: follows the out-edges of entries [first, last) of the queue. With Division::kNone, no
/// other core of the locale does anything for the search meanwhile.
template <Division kDivision, class SendVisit>
struct TopDown {
  static constexpr bool kAlone = kDivision == Division::kNone;
  Locals locals;
  SendVisit send_visit;

  void operator()(std::int64_t first, std::int64_t last) const {
    Local& mine = *locals;
    const View now = mine;
    FoundVertices found(now);
    LevelWriter<kDivision> writer(mine.tail, mine.queue, mine.found_in_order);
    // In registers over the edges, unlike what is in `now`, whose graph is passed on by address.
    std::uint64_t* const seen = now.seen;
    const std::int64_t begin = now.begin;
    const std::int64_t end = now.end;
    for_each_ahead(now.out, now.known(), first, last, [&](std::int64_t i) {
      const VertexId u = now.queue[i];
      push_edges<UnitWeight>(
          now.graph, now.out, u,
          [&](VertexId v, UnitWeight) {
            if (!claim_unset_bit<kAlone>(seen, v)) return;
            if (v >= begin && v < end) {
              found.add(v, u);
              writer.push(v);
            } else {
              send_visit(now.graph, v, u);
            }
          },
          [this](int core, std::uint64_t hub) {
            delegate::async::call(core, VisitFromHub{locals, hub});
          });
    });
    add_shared(mine.arcs, found.finish());
  }
};

/// Bottom-up: looks for parents of the vertices whose bits are not set in words [first, last) of
/// `seen`.
struct BottomUp {
  Locals locals;

  void operator()(std::int64_t first, std::int64_t last) const {
    Local& mine = *locals;
    const Adjacency out = mine.out;
    const Adjacency in = mine.in;
    const std::uint64_t* const frontier = mine.frontier;
    std::int64_t found = 0;
    std::int64_t arcs = 0;
    for (std::int64_t word = first; word < last; ++word) {
      if (word + 1 < last)
        for_each_bit(~mine.seen[word + 1], word + 1, [&](VertexId v) { in.prefetch_row(v); });
      std::uint64_t unreachable = 0;
      const std::uint64_t reached = bits_where(~mine.seen[word], word, [&](VertexId v) {
        const std::span<const VertexId> row = in.neighbors(v);
        if (row.empty()) unreachable |= std::uint64_t{1} << (v % kBitsPerWord);
        for (const VertexId u : row) {
          if (!test_bit(frontier, u)) continue;
          mine.parent[v] = u;
          mine.depth[v] = mine.level;
          arcs += out.degree(v);
          return true;
        }
        return false;
      });
      mine.seen[word] |= reached | unreachable;
      mine.next[word] = reached;
      found += std::popcount(reached);
    }
    add_shared(mine.found, found);
    add_shared(mine.arcs, arcs);
  }
};

/// The size of a frontier, on a locale or on all: its vertices and their out-edges.
struct Level {
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;
};
inline Level operator+(const Level& a, const Level& b) {
  return {a.vertices + b.vertices, a.arcs + b.arcs};
}

/// Follows a locale's part of the frontier.
template <class SendVisit>
void top_down(const Locals& locals, bool visits_arrive, const SendVisit& send_visit) {
  const Local& mine = *locals;
  const Division division = division_of(mine.window_arcs);
  with_division(division, visits_arrive, [&]<Division kDivision>(DivisionConstant<kDivision>) {
    for_window(mine.window_begin, mine.window_end, division,
               TopDown<kDivision, SendVisit>{locals, send_visit});
  });
}

/// Makes what a locale has found its part of the frontier.
inline Level take_level(Local& mine) {
  append_lists(mine.found_in_order, mine.tail, mine.queue);
  const Level level{mine.tail - mine.window_end + mine.found, mine.arcs};
  mine.window_begin = std::exchange(mine.window_end, mine.tail);
  mine.window_arcs = mine.arcs;
  mine.found = mine.arcs = 0;
  ++mine.level;
  return level;
}

/// A run of short levels (short_levels.hpp).
inline ShortLevels<Level> short_levels(const Locals& locals, const Exchange& exchange,
                                       const LevelArcs& lengths) {
  Local& mine = *locals;
  return find_short_levels<VisitAtEnd::Item>(
      exchange, lengths, Level{mine.window_end - mine.window_begin, mine.window_arcs},
      [&] { top_down(locals, false, VisitAtEnd{exchange}); },
      [&mine](std::span<const VisitAtEnd::Item> visits) {
        QueueWriter writer(mine.tail, mine.queue);
        for (const auto [v, parent] : visits) {
          if (!claim_bit_alone(mine.seen, v)) continue;
          mine.arcs += mine.reach(v, parent);
          writer.push(v);
        }
      },
      [&mine] { return take_level(mine); }, [](const Level&) { return false; });
}

}  // namespace grappa::graph::bfs_detail
