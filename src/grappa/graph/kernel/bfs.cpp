// Direction-optimizing breadth-first search, level by level.
//
// A level is found either top-down, by following the out-edges of the frontier (a queue), or
// bottom-up, by asking every vertex that is not reached whether one of its in-edges comes from the
// frontier (a bitmap). Bottom-up wins while the frontier is a large part of the graph: most
// vertices find a parent after a few edges, and nothing needs an atomic operation. When to change
// follows the paper [1]; so does the queue, a window that slides over one array that all cores of
// the locale fill [2].
//
// A vertex is claimed by setting its bit in `seen`. A bitmap instead of the parents keeps what is
// looked up at random in the second-level cache (128 KiB for a million vertices), and gives every
// locale room to note vertices of others, too: those it has sent a visit for, so that it sends only
// one. On several locales a top-down level sends each visit to the home of its vertex, and the
// level is over when all have been run; a bottom-up level needs the whole frontier, so the locales
// share their parts of the bitmap before it.
//
// In a bottom-up level, a vertex without in-edges is marked as seen, though it is never reached:
// Kronecker graphs have many, and the next level need not look at them.
//
// [1] S. Beamer, K. Asanovic, D. Patterson, "Direction-optimizing breadth-first search", SC 2012.
// [2] S. Beamer, K. Asanovic, D. Patterson, "The GAP benchmark suite", arXiv:1508.03619, 2015.
#include "grappa/graph/kernel/bfs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/bitmap.hpp"
#include "grappa/graph/hub_rows.hpp"
#include "grappa/graph/level_division.hpp"
#include "grappa/graph/locale_parts.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/graph/vertex_queue.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

// How many entries of the queue ahead a vertex's row, and before that its offset, is prefetched.
constexpr std::int64_t kPrefetchRow = 4;
constexpr std::int64_t kPrefetchOffset = 8;

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
  CoreLists<VertexId>* found_in_order = nullptr;

  std::int64_t word_begin() const { return bitmap_words(begin); }
  std::int64_t word_end() const { return bitmap_words(end); }
};

/// What the cores of a locale share, with what all of them add to during a level.
struct Share : View {
  alignas(64) std::int64_t tail = 0;  // of the queue
  std::int64_t found = 0;             // bottom-up: vertices found
  std::int64_t arcs = 0;              // out-edges of the vertices found
};
using Shares = Replica<Share>;

void add(std::int64_t& shared, std::int64_t by) {
  std::atomic_ref(shared).fetch_add(by, std::memory_order_relaxed);
}

/// A visit to a vertex of another locale.
struct Visit {
  Shares shares;
  std::uint64_t vertex;
  std::uint64_t parent;

  void operator()() const {
    Share& mine = *shares.data();
    const auto v = untagged(vertex);
    if (!claim_bit(mine.seen, v)) return;
    mine.parent[v] = untagged(parent);
    mine.depth[v] = mine.level;
    add(mine.arcs, mine.out.degree(v));
    QueueWriter(mine.tail, mine.queue).push(v);
  }
};

/// A visit to the neighbours on this core of a split hub of another locale.
struct VisitFromHub {
  Shares shares;
  std::uint64_t hub;

  void operator()() const {
    Share& mine = *shares.data();
    const auto [row, weights, here] = hub_row_here<UnitWeight>(mine.graph, hub);
    const VertexId parent = mine.graph.hubs()[hub];
    std::int64_t arcs = 0;
    {
      QueueWriter writer(mine.tail, mine.queue);
      for (std::size_t k = here.first; k < here.last; ++k) {
        const VertexId v = row[k];
        if (test_bit_shared(mine.seen, v) || !claim_bit(mine.seen, v)) continue;
        mine.parent[v] = parent;
        mine.depth[v] = mine.level;
        arcs += mine.out.degree(v);
        writer.push(v);
      }
    }
    add(mine.arcs, arcs);
  }
};

/// Follows the out-edges of entries [first, last) of the queue. With Division::kNone, no other core
/// of the locale does anything for the search meanwhile.
template <Division kDivision>
struct TopDown {
  Shares shares;

  void operator()(std::int64_t first, std::int64_t last) const {
    Share& mine = *shares.data();
    const View now = mine;
    std::int64_t arcs = 0;
    LevelWriter<kDivision> writer(mine.tail, mine.queue, *mine.found_in_order);
    for (std::int64_t i = first; i < last; ++i) {
      if (i + kPrefetchOffset < now.window_end)
        now.out.prefetch_offset(now.queue[i + kPrefetchOffset]);
      if (i + kPrefetchRow < now.window_end) now.out.prefetch_row(now.queue[i + kPrefetchRow]);
      const VertexId u = now.queue[i];
      std::span<const VertexId> row = now.out.neighbors(u);
      if (now.graph.is_split(row.size())) {
        const RowPart part =
            push_to_other_homes(now.graph, u, row, [&](int core, std::uint64_t hub) {
              delegate::async::call(core, VisitFromHub{shares, hub});
            });
        row = row.subspan(part.first, part.last - part.first);
      }
      for (const VertexId v : row) {
        if constexpr (kDivision == Division::kNone) {
          if (!claim_bit_alone(now.seen, v)) continue;
        } else {
          if (test_bit_shared(now.seen, v) || !claim_bit(now.seen, v)) continue;
        }
        if (v >= now.begin && v < now.end) {
          now.parent[v] = u;
          now.depth[v] = now.level;
          arcs += now.out.degree(v);
          writer.push(v);
        } else {
          delegate::async::call(now.graph.home(v), Visit{shares, v | kVertexTag, u | kVertexTag});
        }
      }
    }
    if (arcs != 0) add(mine.arcs, arcs);
  }
};

/// Looks for parents of the vertices that words [first, last) of `seen` lack.
struct BottomUp {
  Shares shares;

  void operator()(std::int64_t first, std::int64_t last) const {
    Share& mine = *shares.data();
    const Adjacency out = mine.out;
    const Adjacency in = mine.in;
    const std::uint64_t* const frontier = mine.frontier;
    std::int64_t found = 0;
    std::int64_t arcs = 0;
    for (std::int64_t word = first; word < last; ++word) {
      std::uint64_t reached = 0;
      std::uint64_t unreachable = 0;
      for (std::uint64_t left = ~mine.seen[word]; left != 0; left &= left - 1) {
        const std::uint64_t bit = left & -left;
        const std::int64_t v = word * kBitsPerWord + std::countr_zero(left);
        const std::span<const VertexId> row = in.neighbors(v);
        if (row.empty()) unreachable |= bit;
        for (const VertexId u : row) {
          if (!test_bit(frontier, u)) continue;
          mine.parent[v] = u;
          mine.depth[v] = mine.level;
          reached |= bit;
          arcs += out.degree(v);
          break;
        }
      }
      mine.seen[word] |= reached | unreachable;
      mine.next[word] = reached;
      found += std::popcount(reached);
    }
    if (found == 0) return;
    add(mine.found, found);
    add(mine.arcs, arcs);
  }
};

/// A frontier: how many vertices, and out-edges of theirs.
struct Level {
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;
};

class Search {
 public:
  Search(const Graph& graph, const BfsOptions& options) : graph_(graph), options_(options) {
    create();
  }

  BfsResult run(VertexId source) {
    Level level = start(source);
    std::int64_t unexplored = graph_.arc_count();
    while (level.vertices > 0) {
      if (options_.bottom_up && graph_.has_in_edges() && level.arcs > unexplored / options_.alpha) {
        level = bottom_up_levels(level);
      } else {
        unexplored -= level.arcs;
        level = top_down();
      }
    }
    result_.edges = graph_.is_directed() ? result_.arcs : result_.arcs / 2;
    destroy();
    return result_;
  }

 private:
  void create() {
    const std::int64_t words = bitmap_words(graph_.vertices_per_core() * core_count());
    queue_ =
        Replica<VertexId>::create_for_overwrite(graph_.vertices_per_core() * cores_per_locale());
    seen_ = Replica<std::uint64_t>::create_for_overwrite(words);
    frontier_ = Replica<std::uint64_t>::create_for_overwrite(words);
    next_ = Replica<std::uint64_t>::create_for_overwrite(words);
    shares_ = Shares::create(1);
    result_.parent = graph_.make_vertex_array_for_overwrite<VertexId>();
    result_.depth = graph_.make_vertex_array_for_overwrite<std::int32_t>();
    on_all_cores([parent = result_.parent, depth = result_.depth, seen = seen_] {
      std::ranges::fill(parent.local(), kNoVertex);
      std::ranges::fill(depth.local(), kUnreached);
      if (this_core() == first_core_of(this_locale())) std::ranges::fill(seen.span(), 0);
    });
    on_each_locale([graph = graph_, parent = result_.parent, depth = result_.depth, queue = queue_,
                    seen = seen_, frontier = frontier_, next = next_, shares = shares_] {
      Share& mine = *shares.data();
      mine.graph = graph;
      mine.out = graph.out();
      if (graph.has_in_edges()) mine.in = graph.in();
      mine.begin = graph.locale_begin();
      mine.end = graph.locale_end();
      mine.parent = parent.locale_part().data() - mine.begin;
      mine.depth = depth.locale_part().data() - mine.begin;
      mine.queue = queue.data();
      mine.seen = seen.data();
      mine.frontier = frontier.data();
      mine.next = next.data();
      mine.found_in_order = new CoreLists<VertexId>;
      // There are no vertices behind the last.
      for (std::int64_t v = mine.end; v % kBitsPerWord != 0; ++v)
        mine.seen[v / kBitsPerWord] |= std::uint64_t{1} << (v % kBitsPerWord);
    });
  }

  void destroy() {
    on_each_locale([shares = shares_] { delete shares.data()->found_in_order; });
    queue_.destroy();
    seen_.destroy();
    frontier_.destroy();
    next_.destroy();
    shares_.destroy();
  }

  Level start(VertexId source) {
    const auto arcs = delegate::call(graph_.home(source), [shares = shares_, source] {
      Share& mine = *shares.data();
      claim_bit(mine.seen, source);
      mine.parent[source] = source;
      mine.depth[source] = 0;
      mine.queue[0] = source;
      mine.window_end = mine.tail = 1;
      mine.window_arcs = mine.out.degree(source);
      return mine.window_arcs;
    });
    return account({1, arcs});
  }

  Level account(Level level) {
    result_.levels += level.vertices > 0;
    result_.reached += level.vertices;
    result_.arcs += level.arcs;
    return level;
  }

  /// Makes what was found the frontier.
  Level end_level() {
    Level sum;
    for (const Level& part : gather_locales([shares = shares_] {
           Share& mine = *shares.data();
           append_lists(*mine.found_in_order, mine.tail, mine.queue);
           const Level level{mine.tail - mine.window_end + mine.found, mine.arcs};
           mine.window_begin = std::exchange(mine.window_end, mine.tail);
           mine.window_arcs = mine.arcs;
           mine.found = mine.arcs = 0;
           ++mine.level;
           return level;
         })) {
      sum.vertices += part.vertices;
      sum.arcs += part.arcs;
    }
    return account(sum);
  }

  Level top_down() {
    on_each_locale([shares = shares_] {
      const Share& mine = *shares.data();
      const Division division = division_of(mine.window_arcs);
      with_division(division, [&]<Division kDivision>(DivisionConstant<kDivision>) {
        for_window(mine.window_begin, mine.window_end, division, TopDown<kDivision>{shares});
      });
    });
    return end_level();
  }

  /// As many bottom-up levels as are worth it, one at least.
  Level bottom_up_levels(Level level) {
    queue_to_bitmap();
    for (;;) {
      const std::int64_t before = level.vertices;
      frontier_.share(words_of_locale(graph_));
      on_each_locale([shares = shares_] {
        const Share& mine = *shares.data();
        forall_range_here(mine.word_begin(), mine.word_end(), BottomUp{shares});
      });
      level = end_level();
      ++result_.bottom_up_levels;
      std::swap(frontier_, next_);
      on_each_locale([shares = shares_] {
        Share& mine = *shares.data();
        std::swap(mine.frontier, mine.next);
      });
      if (level.vertices < before && level.vertices <= graph_.vertex_count() / options_.beta) break;
    }
    if (level.vertices > 0) bitmap_to_queue();
    return level;
  }

  void queue_to_bitmap() {
    on_each_locale([shares = shares_] {
      const Share& mine = *shares.data();
      std::fill(mine.frontier + mine.word_begin(), mine.frontier + mine.word_end(), 0);
      forall_here(mine.window_begin, mine.window_end, [shares](std::int64_t i) {
        const Share& m = *shares.data();
        claim_bit(m.frontier, m.queue[i]);
      });
    });
  }

  void bitmap_to_queue() {
    on_each_locale([shares = shares_] {
      Share& mine = *shares.data();
      forall_range_here(
          mine.word_begin(), mine.word_end(), [shares](std::int64_t first, std::int64_t last) {
            Share& m = *shares.data();
            QueueWriter writer(m.tail, m.queue);
            for_each_bit(m.frontier, first, last, [&](VertexId v) { writer.push(v); });
          });
      mine.window_end = mine.tail;
    });
    // Visits need not be sent for what was found here or elsewhere meanwhile.
    seen_.share(words_of_locale(graph_));
  }

  const Graph graph_;
  const BfsOptions options_;
  BfsResult result_;
  Replica<VertexId> queue_;      // a locale's copy: [its vertices]
  Replica<std::uint64_t> seen_;  // bitmaps of all vertices
  Replica<std::uint64_t> frontier_;
  Replica<std::uint64_t> next_;
  Shares shares_;
};

}  // namespace

void BfsResult::destroy() {
  parent.destroy();
  depth.destroy();
}

BfsResult bfs(const Graph& graph, VertexId source, const BfsOptions& options) {
  if (source >= graph.vertex_count()) {
    throw UsageError(
        fmt::format("bfs: {} is not a vertex of a graph of {}", source, graph.vertex_count()));
  }
  if (options.alpha <= 0 || options.beta <= 0) throw UsageError("bfs: alpha and beta are positive");
  return Search(graph, options).run(source);
}

}  // namespace grappa::graph
