// Peeling: for ascending k, vertices with at most k neighbors left are removed, and get core number
// k, until none is left with so few.
//
// The vertices of a locale are divided into as many parts as it has cores, with equally many edges.
// Each core goes through a part of its own, so that nothing is locked. It removes those vertices
// that have come down to k, and goes on with those that this brings down, as in PKC [1], which
// saves most of the rounds. The neighbors in other parts are sent to their cores in large pieces;
// those that this brings down to k are removed in the next round, if the core is not at it any
// more.
//
// The number of neighbors left becomes the core number: it is never lowered below the k of the
// level, so a removed vertex keeps its k. Between levels a pass over the remaining vertices finds
// the least number of neighbors, which is the next k, and the vertices that have it. A vertex is
// visited at most once for each k up to its core number, so all these passes together take no more
// than one over the edges.
//
// [1] H. Kabir, K. Madduri, "Parallel k-core decomposition on multicore platforms", IPDPS Workshops
//     2017.
#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/exec/rows_ahead.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/send_span.hpp"

namespace grappa::graph {
namespace {

constexpr CoreNumber kNone = std::numeric_limits<CoreNumber>::max();

/// Consecutive vertices.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// What is left, of a part or of all.
struct Left {
  std::int64_t vertices = 0;
  CoreNumber least = kNone;  // neighbors that one of them has left

  friend Left operator+(const Left& a, const Left& b) {
    return {a.vertices + b.vertices, std::min(a.least, b.least)};
  }
};

/// Some of a locale's vertices.
struct alignas(64) Part {
  Range vertices;
  std::vector<VertexId> remaining;              // when the level began
  CoreNumber least = kNone;                     // neighbors that one of them had left
  std::vector<VertexId> lowest;                 // those with so few
  std::vector<VertexId> removed;                // in this level
  std::size_t done = 0;                         // of these: their neighbors know
  std::vector<std::vector<VertexId>> outgoing;  // by core: of its vertices, neighbors removed

  Left left() const { return {std::ssize(remaining), least}; }
  std::int64_t waiting() const { return std::ssize(removed) - static_cast<std::int64_t>(done); }

  /// A neighbor of v, which has `left` of them, is removed at level k.
  void lose_neighbor(VertexId v, CoreNumber& left, CoreNumber k) {
    if (left <= k) return;
    --left;
    if (left == k) removed.push_back(v);
  }

  /// After level k: those who are left, and of them those with the least left.
  void keep(const CoreNumber* left, CoreNumber k) {
    removed.clear();
    done = 0;
    lowest.clear();
    least = kNone;
    std::erase_if(remaining, [&](VertexId v) {
      if (left[v] <= k) return true;
      if (left[v] < least) lowest.clear();
      least = std::min(least, left[v]);
      if (left[v] == least) lowest.push_back(v);
      return false;
    });
  }
};

/// The state of a locale, which its cores share. `left` is indexed by the vertex.
struct Local {
  Adjacency out;
  Range vertices;
  CoreNumber* left = nullptr;      // neighbors
  std::vector<Part> parts;         // by core of the locale
  std::vector<std::int64_t> ends;  // of the parts of all cores

  Part& mine() { return parts[core_in_locale()]; }

  /// Where the part of this core ends, so that the parts of the locale have equally many edges and
  /// vertices.
  std::int64_t end_of_part() const {
    const auto work_before = [this](std::int64_t v) {
      return out.offset(v) - out.offset(vertices.begin) +
             static_cast<std::uint64_t>(v - vertices.begin);
    };
    const std::uint64_t work = work_before(vertices.end) * (core_in_locale() + 1) / parts.size();
    return *std::ranges::lower_bound(std::views::iota(vertices.begin, vertices.end + 1), work, {},
                                     work_before);
  }

  /// Makes the part of this core, with the vertices that have neighbors.
  void begin() {
    const auto core = static_cast<std::size_t>(this_core());
    Part& part = mine();
    part.vertices = {core_in_locale() == 0 ? vertices.begin : ends[core - 1], ends[core]};
    part.outgoing.resize(ends.size());
    part.remaining.resize(static_cast<std::size_t>(part.vertices.end - part.vertices.begin));
    std::iota(part.remaining.begin(), part.remaining.end(),
              static_cast<VertexId>(part.vertices.begin));
    for (std::int64_t v = part.vertices.begin; v < part.vertices.end; ++v)
      left[v] = static_cast<CoreNumber>(out.degree(v));
  }

  std::int64_t waiting() const {
    std::int64_t sum = 0;
    for (const Part& part : parts) sum += part.waiting();
    return sum;
  }
};
using Locals = LocaleState<Local>;

/// Vertices of this core's part have lost a neighbor.
struct LoseNeighbors {
  Locals locals;
  CoreNumber k;

  void operator()(std::span<const VertexId> vertices, std::size_t) const {
    Local& local = *locals;
    Part& part = local.mine();
    for (const VertexId v : vertices) part.lose_neighbor(v, local.left[v], k);
  }
};

/// Removes vertices of this core's part at level k.
class Remover {
 public:
  Remover(Locals locals, CoreNumber k)
      : locals_(locals), local_(*locals), part_(local_.mine()), own_(part_.vertices), k_(k) {}

  void run() {
    if (part_.least == k_) {
      part_.removed.insert(part_.removed.end(), part_.lowest.begin(), part_.lowest.end());
      part_.lowest.clear();
    }
    std::vector<VertexId>& removed = part_.removed;
    for (; part_.done < removed.size(); ++part_.done) {
      if (part_.done % tuning::kMaxHeld == 0) stop_if_cancelled();
      prefetch_ahead(local_.out, std::span<const VertexId>(removed).subspan(part_.done));
      remove(removed[part_.done]);
    }
    for (int core = 0; core < core_count(); ++core) {
      if (!part_.outgoing[static_cast<std::size_t>(core)].empty()) send(core);
    }
  }

 private:
  void remove(VertexId v) {
    // Rows are ascending, and parts have consecutive vertices.
    const std::span<const VertexId> row = local_.out.neighbors(v);
    for (auto at = row.begin(); at != row.end();) {
      if (*at >= own_.begin && *at < own_.end) {
        for (; at != row.end() && *at < own_.end; ++at)
          part_.lose_neighbor(*at, local_.left[*at], k_);
      } else {
        at = tell_other(at, row.end());
      }
    }
  }

  /// The neighbors in one other part, from `at` on; returns where they end.
  template <class Iterator>
  Iterator tell_other(Iterator at, Iterator end) {
    const auto part = std::ranges::upper_bound(local_.ends, std::int64_t{*at});
    const auto last = std::lower_bound(at, end, *part);
    const auto core = part - local_.ends.begin();
    std::vector<VertexId>& held = part_.outgoing[static_cast<std::size_t>(core)];
    held.insert(held.end(), at, last);
    if (held.size() >= tuning::kMaxHeld) send(static_cast<int>(core));
    return last;
  }

  void send(int core) {
    // This may switch tasks, and others hold vertices meanwhile.
    const auto held = std::exchange(part_.outgoing[static_cast<std::size_t>(core)], {});
    send_span(core, std::span<const VertexId>(held), LoseNeighbors{locals_, k_});
  }

  Locals locals_;
  Local& local_;
  Part& part_;
  Range own_;
  CoreNumber k_;
};

class Peeling {
 public:
  explicit Peeling(const Graph& graph) : graph_(graph) { create(); }

  CoreNumbersResult run() {
    result_.innermost = graph_.vertex_count();
    Left left = end_level(0);
    while (left.vertices > 0) {
      const CoreNumber k = left.least;
      mark_round("core", k);
      result_.degeneracy = k;
      result_.innermost = left.vertices;
      while (remove_round(k) > 0) continue;
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
      local.out = graph.out();
      local.vertices = {graph.locale_begin(), graph.locale_end()};
      local.left = core.locale_part().data() - local.vertices.begin;
      local.parts.resize(static_cast<std::size_t>(cores_per_locale()));
    });
    const std::vector<std::int64_t> ends =
        gather_cores([locals = *locals_] { return locals->end_of_part(); });
    on_all_locales([locals = *locals_](std::vector<std::int64_t>& all) { locals->ends = all; },
                   ends);
    on_all_cores([locals = *locals_] { locals->begin(); });
  }

  Left end_level(CoreNumber k) {
    on_all_cores([locals = *locals_, k] { locals->mine().keep(locals->left, k); });
    return reduce_locales([locals = *locals_] {
      Left left;
      for (const Part& part : locals->parts) left = left + part.left();
      return left;
    });
  }

  /// Returns how many vertices are to be removed in the next round.
  std::int64_t remove_round(CoreNumber k) {
    stop_if_cancelled();
    on_all_cores([locals = *locals_, k] { Remover(locals, k).run(); });
    return reduce_locales([locals = *locals_] { return locals->waiting(); });
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
