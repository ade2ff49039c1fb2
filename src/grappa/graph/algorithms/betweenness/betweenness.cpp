// Betweenness centrality after Brandes [1], a source at a time: forward, level by level as a
// breadth-first search, each vertex gets the number of shortest paths to it, paths(v); backward,
// its dependency, the sum over its successors w (one level deeper) of
// paths(v)/paths(w) * (1 + dependency(w)). Both are sums over neighbors of one number each:
//
//   paths(v)      = sum over in-neighbors u one level up of paths(u)
//   credit(v)     = (1 + dependency(v)) / paths(v)
//                 = 1/paths(v) + sum over out-neighbors w one level down of credit(w)
//
// so a level costs one random read an edge, and there is no division for each edge [2]. There is no
// test whether a neighbor is in the right level: a vertex that is not reached yet has no
// in-neighbor above the frontier, and a vertex has no out-neighbor more than one level down. All
// other numbers are zero, since even and odd levels have arrays of their own: while one is read,
// the other is written.
//
// Forward, a level is found either top-down: each vertex of the frontier (a queue) adds its paths
// to those of its out-neighbors that are in no earlier level; or bottom-up: each vertex that is not
// reached sums over its whole row, which needs no atomic operation but goes through all edges that
// are left. Backward, each vertex sums over its row, from the queues of the levels. A large level
// is sorted in the queue, so that it is traversed in the order of the graph.
//
// On several locales a top-down level sends paths to the homes of vertices, in supersteps while
// levels are short; before a bottom-up one the locales exchange their parts of the paths (an
// all-gather). Backward, a vertex sends its credit once to every locale that has an in-neighbor of
// it, at the end of the level; after a large level the locales exchange theirs.
//
// [1] U. Brandes, "A faster algorithm for betweenness centrality", J. Math. Sociology 25(2), 2001.
// [2] K. Madduri, D. Ediger, K. Jiang, D. Bader, D. Chavarria-Miranda, "A faster parallel algorithm
//     and efficient multithreaded implementations for evaluating betweenness centrality on massive
//     datasets", MTAAP 2009: successors instead of predecessors.
#include "grappa/graph/algorithms/betweenness/betweenness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/algorithms/betweenness/internal/betweenness_levels.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

using namespace betweenness_detail;

/// The arrays of numbers: doubles, or in the same place wide counts.
class NumberArrays {
 public:
  static NumberArrays create(std::int64_t n) {
    Owned<Replica<double>> created[4];
    for (Owned<Replica<double>>& a : created) a = Replica<double>::create(n);
    NumberArrays numbers;
    for (int i = 0; i < 4; ++i) numbers.arrays_[i] = created[i].release();
    return numbers;
  }
  void destroy() {
    for (Replica<double>& a : arrays_) a.destroy();
  }
  void clear() const {
    for (const Replica<double>& a : arrays_) a.fill(0);
  }
  template <PathCount Count>
  Numbers<Count> here() const {
    const auto at = [this](int i) { return reinterpret_cast<Count*>(arrays_[i].data()); };
    return {{at(0), at(1)}, {at(2), at(3)}};
  }
  const Replica<double>& paths(std::int64_t level) const { return arrays_[level % 2]; }
  const Replica<double>& credit(std::int64_t level) const { return arrays_[2 + level % 2]; }

 private:
  Replica<double> arrays_[4];
};

class Brandes {
 public:
  Brandes(const Graph& graph, const BetweennessOptions& options)
      : graph_(graph), options_(options) {
    create();
  }

  BetweennessResult run(std::span<const VertexId> sources) {
    std::int64_t done = 0;
    for (const VertexId source : sources) {
      mark_round("source", done + 1);
      if (done > 0) forget();
      start(source);
      forward(source);
      if (is_wide_) {
        backward<WidePathCount>();
      } else {
        backward<double>();
      }
      ++done;
      if (options_.on_source) options_.on_source(done);
    }
    return std::move(result_);
  }

 private:
  void create() {
    result_.score = graph_.make_vertex_array<double>();
    padded_ = graph_.vertices_per_core() * core_count();
    numbers_ = NumberArrays::create(padded_);
    queue_ =
        Replica<VertexId>::create_for_overwrite(graph_.vertices_per_core() * cores_per_locale());
    seen_ = Replica<std::uint64_t>::create_for_overwrite(bitmap_words(padded_));
    locals_ = Locals::create();
    exchange_ = Exchange::create();
    on_each_locale([graph = graph_, score = *result_.score, numbers = *numbers_, queue = *queue_,
                    seen = *seen_, locals = *locals_] {
      Local& mine = *locals;
      mine.graph = graph;
      mine.out = graph.out();
      mine.in = graph.in();
      mine.begin = graph.locale_begin();
      mine.end = graph.locale_end();
      mine.score = score.locale_part().data() - mine.begin;
      mine.halved = graph.is_directed() ? 1 : 0.5;
      mine.queue = queue.data();
      mine.seen = seen.data();
      mine.narrow = numbers.here<double>();
      mine.wide = numbers.here<WidePathCount>();
    });
    clear_seen();
  }

  void clear_seen() const {
    seen_->fill(0);
    on_each_locale([locals = *locals_] {
      const Local& mine = *locals;
      set_bits_behind(mine.seen, mine.end);
    });
  }

  /// Makes the arrays as they were before the source.
  void forget() const {
    if (vertices_ > graph_.vertex_count() / tuning::kLargePart) {
      clear_seen();
      numbers_->clear();
    } else if (is_wide_) {
      forget_queue<WidePathCount>();
    } else {
      forget_queue<double>();
    }
  }

  template <PathCount Count>
  void forget_queue() const {
    on_each_locale([locals = *locals_] {
      const std::int64_t tail = locals->tail;
      for_window(0, tail, division_of(tail), Forget<Count>{locals, locale_count() > 1});
    });
  }

  void start(VertexId source) {
    level_ = reduce_locales([locals = *locals_, source, wide = is_wide_] {
      Local& mine = *locals;
      mine.level = 1;
      mine.tail = 0;
      mine.frontier = {};
      mine.windows.clear();
      if (mine.is_mine(source)) {
        if (wide) {
          mine.wide.paths[0][source] = path_count<WidePathCount>(1);
        } else {
          mine.narrow.paths[0][source] = 1;
        }
        mine.seen[source / kBitsPerWord] |= std::uint64_t{1} << (source % kBitsPerWord);
        mine.queue[0] = source;
        mine.frontier = {0, 1, mine.out.degree(source)};
        mine.tail = 1;
      }
      mine.windows.push_back(mine.frontier);
      return Level{mine.tail, mine.frontier.arcs};
    });
    depth_ = 0;
    lengths_ = {};
    lengths_.next(level_.arcs);
    vertices_ = 1;
    large_levels_.assign(1, false);
  }

  void forward(VertexId source) {
    std::int64_t unexplored = graph_.arc_count() - level_.arcs;
    while (level_.vertices > 0) {
      // Bottom-up looks at every vertex, too.
      const bool top_down = level_.arcs < (unexplored + graph_.vertex_count() / 8) / options_.alpha;
      const std::int64_t found =
          is_wide_ ? find_levels<WidePathCount>(top_down) : find_levels<double>(top_down);
      unexplored -= found;
      mark_round("level", depth_);
      if (level_.too_great) {
        if (is_wide_) refuse(source);
        widen();
      }
    }
    result_.reached += vertices_;
    result_.levels = std::max(result_.levels, depth_);
  }

  [[noreturn]] void refuse(VertexId source) {
    throw UsageError(fmt::format(
        "betweenness: more than 2^262144 shortest paths lead from vertex {} to another; "
        "leave it out of the sources",
        source));
  }

  /// The next level, or while they are short those after it, too. Returns how many out-edges they
  /// have.
  template <PathCount Count>
  std::int64_t find_levels(bool top_down) {
    if (top_down && lengths_.stay_short() && graph_.hubs().empty())
      return find_short_levels<Count>();
    find_level<Count>(top_down);
    return level_.arcs;
  }

  template <PathCount Count>
  void find_level(bool top_down) {
    if (top_down) {
      on_each_locale([locals = *locals_] {
        betweenness_detail::top_down<Count>(locals, locale_count() > 1, SendNow<Count>{locals});
      });
    } else {
      numbers_->paths(depth_).all_gather(vertices_of_locale(graph_));
      on_each_locale([locals = *locals_] {
        const Local& mine = *locals;
        forall_range_here(mine.word_begin(), mine.word_end(), BottomUp<Count>{locals});
      });
      ++result_.bottom_up_levels;
    }
    end_level<Count>(top_down);
  }

  template <PathCount Count>
  void end_level(bool top_down) {
    level_ = reduce_locales(
        [locals = *locals_, top_down] { return take_level<Count>(locals, top_down); });
    account_for_level();
  }
  void account_for_level() {
    ++depth_;
    lengths_.next(level_.arcs);
    vertices_ += level_.vertices;
    large_levels_.push_back(level_.vertices > graph_.vertex_count() / tuning::kLargePart);
  }

  template <PathCount Count>
  std::int64_t find_short_levels() {
    const auto runs =
        gather_locales([locals = *locals_, exchange = *exchange_, lengths = lengths_] {
          return short_levels<Count>(locals, exchange, lengths);
        });
    const ShortLevels<Level>& run = runs.front();  // which differ in what they found last
    depth_ += run.found_levels;
    lengths_ = run.lengths;
    vertices_ += run.found.vertices;
    // As they are short, none of them counts as large.
    large_levels_.resize(large_levels_.size() + static_cast<std::size_t>(run.found_levels));
    if (run.is_cut) {
      on_each_locale([locals = *locals_] {
        if (is_long_part(locals->frontier.arcs))
          betweenness_detail::top_down<Count>(locals, true, SendNow<Count>{locals});
      });
      end_level<Count>(true);
    } else {
      level_ = {};
      for (const auto& of_locale : runs) level_ = level_ + of_locale.last;
      account_for_level();
    }
    level_.too_great |= run.found.too_great;
    return run.found.arcs + level_.arcs;
  }

  /// From now on counts are wide. There are no credits yet.
  void widen() {
    forall_vertices(graph_, [locals = *locals_](std::int64_t first, std::int64_t last) {
      const Local& mine = *locals;
      for (const std::int64_t parity : {0, 1}) {
        for (std::int64_t v = first; v < last; ++v)
          mine.wide.paths[parity][v] = path_count<WidePathCount>(mine.narrow.paths[parity][v]);
      }
    });
    is_wide_ = true;
  }

  template <PathCount Count>
  void backward() {
    const auto is_large = [&](std::int64_t depth) {
      return static_cast<bool>(large_levels_[static_cast<std::size_t>(depth)]);
    };
    // The last level is the empty one at which the search ended; the source needs no credit.
    for (std::int64_t from = depth_ - 1; from > 0;) {
      // One large level, or all up to the next large one.
      const bool gathers_credit = is_large(from);
      std::int64_t to = from;
      while (!gathers_credit && to > 1 && !is_large(to - 1)) --to;
      on_each_locale([locals = *locals_, exchange = *exchange_, from, to, gathers_credit,
                      is_deepest = from == depth_ - 1] {
        betweenness_detail::backward<Count>(locals, exchange, from, to, is_deepest, gathers_credit);
      });
      if (gathers_credit) numbers_->credit(from).all_gather(vertices_of_locale(graph_));
      from = to - 1;
    }
  }

  const Graph graph_;
  const BetweennessOptions& options_;
  BetweennessResult result_;
  std::int64_t padded_ = 0;
  Owned<NumberArrays> numbers_;
  bool is_wide_ = false;
  Owned<Replica<VertexId>> queue_;  // a locale's copy: [its vertices]
  Owned<Replica<std::uint64_t>> seen_;
  Owned<Locals> locals_;
  Owned<Exchange> exchange_;
  // Of the source at hand:
  Level level_;  // the deepest that is found
  std::int64_t depth_ = 0;
  std::int64_t vertices_ = 0;  // in all levels
  LevelArcs lengths_;
  std::vector<bool> large_levels_;
};

}  // namespace

BetweennessResult betweenness(const Graph& graph, std::span<const VertexId> sources,
                              const BetweennessOptions& options) {
  graph.require_live("betweenness");
  graph.require_in_edges("betweenness");
  if (options.alpha <= 0) throw UsageError("betweenness: alpha must be positive");
  for (const VertexId source : sources) graph.require_vertex("betweenness", source);
  return Brandes(graph, options).run(sources);
}

}  // namespace grappa::graph
