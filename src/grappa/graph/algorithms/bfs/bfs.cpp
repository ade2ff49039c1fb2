// Direction-optimizing breadth-first search, level by level.
//
// A level is found either top-down, along the out-edges of the frontier (a queue), or bottom-up:
// for every vertex that is not reached, an in-edge from the frontier (a bitmap) is looked for.
// Bottom-up wins while the frontier is a large part of the graph: most vertices find a parent after
// a few edges, and nothing needs an atomic operation. When to change direction follows the paper
// [1]. The queue is a window that slides over one array, which all cores of the locale fill [2].
//
// A vertex is claimed by test-and-set of its bit in `seen`. With a bitmap instead of the parents
// the random accesses stay in the second-level cache (128 KiB for a million vertices), and every
// locale has room for bits of other locales' vertices, too: those it has sent a visit for, so that
// it sends only one. On several locales a top-down level sends each visit to the home of its
// vertex, and the level is over when all have been run, or, while levels are short, the locales
// exchange them in supersteps. A bottom-up level needs the whole frontier, so before it the locales
// exchange their parts of the bitmap (an all-gather).
//
// A bottom-up level marks a vertex without in-edges as seen, though it is never reached: Kronecker
// graphs have many, and the next level can skip them.
//
// [1] S. Beamer, K. Asanovic, D. Patterson, "Direction-optimizing breadth-first search", SC 2012.
// [2] S. Beamer, K. Asanovic, D. Patterson, "The GAP benchmark suite", arXiv:1508.03619, 2015.
#include "grappa/graph/algorithms/bfs/bfs.hpp"

#include <algorithm>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/algorithms/bfs/internal/bfs_levels.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/exec/vertex_queue.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

using namespace bfs_detail;

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
      } else if (lengths_.stay_short() && graph_.hubs().empty()) {
        level = short_levels(unexplored);
      } else {
        unexplored -= level.arcs;
        level = long_level();
      }
    }
    result_.edges = graph_.is_directed() ? result_.arcs : result_.arcs / 2;
    return std::move(result_);
  }

 private:
  void create() {
    const std::int64_t words = bitmap_words(graph_.vertices_per_core() * core_count());
    queue_ =
        Replica<VertexId>::create_for_overwrite(graph_.vertices_per_core() * cores_per_locale());
    seen_ = Replica<std::uint64_t>::create_for_overwrite(words);
    frontier_ = Replica<std::uint64_t>::create_for_overwrite(words);
    next_ = Replica<std::uint64_t>::create_for_overwrite(words);
    locals_ = Locals::create();
    exchange_ = Exchange::create();
    result_.parent = graph_.make_vertex_array_for_overwrite<VertexId>();
    result_.depth = graph_.make_vertex_array_for_overwrite<std::int32_t>();
    on_all_cores([parent = *result_.parent, depth = *result_.depth, seen = *seen_] {
      std::ranges::fill(parent.local(), kNoVertex);
      std::ranges::fill(depth.local(), kUnreached);
      if (this_core() == first_core_of(this_locale())) std::ranges::fill(seen.span(), 0);
    });
    on_each_locale([graph = graph_, parent = *result_.parent, depth = *result_.depth,
                    queue = *queue_, seen = *seen_, frontier = *frontier_, next = *next_,
                    locals = *locals_] {
      Local& mine = *locals;
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
      set_bits_behind(mine.seen, mine.end);
    });
  }

  Level start(VertexId source) {
    const auto arcs = delegate::call(graph_.home(source), [locals = *locals_, source] {
      Local& mine = *locals;
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
    if (level.vertices > 0) mark_round("level", ++result_.levels);
    result_.reached += level.vertices;
    result_.arcs += level.arcs;
    lengths_.next(level.arcs);
    return level;
  }

  /// Makes what was found the frontier.
  Level end_level() {
    return account(reduce_locales([locals = *locals_] { return take_level(*locals); }));
  }

  /// Top-down, with visits on their way while it lasts.
  Level long_level() {
    on_each_locale([locals = *locals_] { top_down(locals, locale_count() > 1, VisitNow{locals}); });
    return end_level();
  }

  /// Top-down levels, as many as stay short.
  Level short_levels(std::int64_t& unexplored) {
    const auto runs =
        gather_locales([locals = *locals_, exchange = *exchange_, lengths = lengths_] {
          return bfs_detail::short_levels(locals, exchange, lengths);
        });
    const ShortLevels<Level>& run = runs.front();  // which differ in what they found last
    unexplored -= run.followed_arcs;
    lengths_ = run.lengths;
    result_.levels += run.found_levels;
    result_.reached += run.found.vertices;
    result_.arcs += run.found.arcs;
    if (run.is_cut) {
      on_each_locale([locals = *locals_] {
        if (is_long_part(locals->window_arcs)) top_down(locals, true, VisitNow{locals});
      });
      return end_level();
    }
    Level last;
    for (const auto& of_locale : runs) last = last + of_locale.last;
    return account(last);
  }

  /// As many bottom-up levels as are worth it, one at least.
  Level bottom_up_levels(Level level) {
    queue_to_bitmap();
    for (;;) {
      const std::int64_t before = level.vertices;
      frontier_->all_gather(words_of_locale(graph_));
      on_each_locale([locals = *locals_] {
        const Local& mine = *locals;
        forall_range_here(mine.word_begin(), mine.word_end(), BottomUp{locals});
      });
      level = end_level();
      ++result_.bottom_up_levels;
      std::swap(frontier_, next_);
      on_each_locale([locals = *locals_] {
        Local& mine = *locals;
        std::swap(mine.frontier, mine.next);
      });
      if (level.vertices < before && level.vertices <= graph_.vertex_count() / options_.beta) break;
    }
    if (level.vertices > 0) bitmap_to_queue();
    return level;
  }

  void queue_to_bitmap() {
    on_each_locale([locals = *locals_] {
      const Local& mine = *locals;
      std::fill(mine.frontier + mine.word_begin(), mine.frontier + mine.word_end(), 0);
      forall_here(mine.window_begin, mine.window_end, [locals](std::int64_t i) {
        const Local& m = *locals;
        claim_bit(m.frontier, m.queue[i]);
      });
    });
  }

  void bitmap_to_queue() {
    on_each_locale([locals = *locals_] {
      Local& mine = *locals;
      forall_range_here(
          mine.word_begin(), mine.word_end(), [locals](std::int64_t first, std::int64_t last) {
            Local& m = *locals;
            QueueWriter writer(m.tail, m.queue);
            for_each_bit(m.frontier, first, last, [&](VertexId v) { writer.push(v); });
          });
      mine.window_end = mine.tail;
    });
    // No visits need be sent for vertices that were found meanwhile, here or elsewhere.
    seen_->all_gather(words_of_locale(graph_));
  }

  const Graph graph_;
  const BfsOptions options_;
  BfsResult result_;
  Owned<Replica<VertexId>> queue_;      // a locale's copy: [its vertices]
  Owned<Replica<std::uint64_t>> seen_;  // bitmaps of all vertices
  Owned<Replica<std::uint64_t>> frontier_;
  Owned<Replica<std::uint64_t>> next_;
  Owned<Locals> locals_;
  Owned<Exchange> exchange_;
  LevelArcs lengths_;
};

}  // namespace

BfsResult bfs(const Graph& graph, VertexId source, const BfsOptions& options) {
  graph.require_live("bfs");
  graph.require_vertex("bfs", source);
  if (options.alpha <= 0 || options.beta <= 0)
    throw UsageError("bfs: alpha and beta must be positive");
  return Search(graph, options).run(source);
}

}  // namespace grappa::graph
