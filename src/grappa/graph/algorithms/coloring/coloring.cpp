// Parallel greedy coloring after Jones and Plassmann [1]: a vertex gets the smallest color that
// none of its neighbors before it in the order has, as soon as all of these have theirs. The order
// is by the logarithm of the degree, the greatest first, and pseudo-random among equals: this gives
// few colors, and short chains of vertices that wait for one another [2].
//
// Vertices are colored by classes, those with the same logarithm of the degree. When a class
// begins, all earlier ones have their colors, so vertices wait only for others of their class, few
// of which are their neighbors unless they are hubs. Within a class, cores take vertices roughly in
// the order, from a list that a counting sort has made. A vertex that finds an earlier neighbor
// without a color enters itself into the list of vertices that wait for that one; the core that
// colors it resumes all vertices of the list, each from where it had come in its row. So every row
// is traversed once, whatever the waits, and atomic operations are needed for waits, not for edges.
//
// Every locale has the colors of all neighbors of its vertices, and lists of its own vertices that
// wait for them: a vertex's color goes once to each other locale on which it has neighbors, and
// ends the waits there.
//
// Where waits are many and vertices few, as among hubs, which mostly are neighbors of one another,
// the time would be that of a chain of messages. There, all locales tell one another what the
// colors of their vertices in the class depend on, and each colors the whole class serially.
//
// [1] M. Jones, P. Plassmann, "A parallel graph coloring heuristic", SIAM J. Sci. Comput. 14, 1993.
// [2] W. Hasenplaugh et al., "Ordering heuristics for parallel graph coloring", SPAA 2014
//     (largest-log-degree-first).
#include "grappa/graph/algorithms/coloring/coloring.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <utility>
#include <vector>

#include "grappa/container/replica.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/algorithms/coloring/internal/class_records.hpp"
#include "grappa/graph/build/internal/counting_sort.hpp"
#include "grappa/graph/exec/core_lists.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/exec/rows_ahead.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/graph/structure/internal/vertex_order.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {
namespace {

// Marks of vertices: a color, or from this one on, the logarithm of the degree of a vertex that
// has none yet.
constexpr std::uint32_t kUncolored = 0xffffff00;
// The end of a list of waiting vertices.
constexpr VertexId kNobody = kNoVertex;
// Classes of the sort: logarithms of degrees, each in so many parts by the pseudo-random number.
constexpr int kLogs = std::bit_width(static_cast<std::uint64_t>(kMaxVertices)) + 1;
constexpr int kRankBits = 8;

/// The place in the order of a vertex that has no color yet: greater is earlier. Vertices with a
/// color come after all of those.
std::uint64_t priority(VertexId v, std::uint32_t mark) {
  const std::uint64_t above = kVertexBits == 32   ? mark
                              : mark < kUncolored ? 0
                                                  : 1 + mark - kUncolored;
  return above << kRandomRankBits | random_rank(v);
}

/// Its class in a sort that puts the greatest priorities first, roughly.
std::int64_t class_of(VertexId v, std::uint32_t mark) {
  const auto log = std::int64_t{mark - kUncolored};
  const auto ascending =
      log << kRankBits | static_cast<std::int64_t>(random_rank(v) >> (kRandomRankBits - kRankBits));
  return (kLogs << kRankBits) - 1 - ascending;
}

using ClassSizes = std::array<std::int64_t, kLogs>;

/// What is known so far of a vertex's neighbors.
struct Sight {
  std::uint64_t taken = 0;  // a bit for each color below 64 that one of them has
  // So many, the first of its row, have been examined: it waits for none of them.
  std::uint64_t looked = 0;
};

/// The state of a locale, which its cores share. Arrays of vertices are indexed by the vertex.
struct Local {
  Graph graph;
  Adjacency out;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t* mark = nullptr;  // of all vertices
  // The first of those here who wait for the vertex; the vertex itself once it has its color.
  VertexId* waiting = nullptr;  // of all vertices
  VertexId* next = nullptr;     // of the vertices here: in the list that the vertex is in
  Sight* seen = nullptr;        // of the vertices here: before it went to wait
  VertexId* order = nullptr;    // the vertices here, the greatest priorities first
  // Of `order`, those of the class that gets its colors now; how far cores have taken them, and
  // how many at a time.
  std::int64_t class_begin = 0;
  std::int64_t class_end = 0;
  std::int64_t visited = 0;
  std::int64_t chunk = 0;
  CoreLists<ClassWord> told;  // words of ClassRecords: what the other locales get
  std::int64_t before = 0;    // how many neighbors are in these

  /// How many vertices there are here of each class.
  ClassSizes class_sizes() const {
    ClassSizes sizes{};
    for (std::int64_t i = 0; i < end - begin;) {
      const std::uint32_t m = mark[order[i]];
      const std::int64_t next_class = end_of_class(i, m);
      sizes[m - kUncolored] = next_class - i;
      i = next_class;
    }
    return sizes;
  }
  /// Where those with this mark end, which begin at `first`; nobody from there on has a color.
  std::int64_t end_of_class(std::int64_t first, std::uint32_t of_class) const {
    return std::partition_point(order + first, order + (end - begin),
                                [&](VertexId v) { return mark[v] == of_class; }) -
           order;
  }
  /// Takes the next class, of vertices whose degrees have this logarithm.
  void begin_class(int log) {
    class_begin = class_end;
    class_end = end_of_class(class_begin, kUncolored + static_cast<std::uint32_t>(log));
    chunk = std::clamp<std::int64_t>(tuning::kColoredArcs >> log, 1, tuning::kColoredGrain);
  }
  /// Lets cores take the vertices of the class; returns how often they can.
  std::int64_t begin_taking() {
    visited = class_begin;
    return (class_end - class_begin + chunk - 1) / chunk;
  }
  std::span<const VertexId> take_some() {
    const std::int64_t first = std::atomic_ref(visited).fetch_add(chunk, std::memory_order_relaxed);
    return {order + first, order + std::min(first + chunk, class_end)};
  }

  /// Records what the colors of some vertices of the class depend on.
  void tell(std::span<const VertexId> vertices) {
    ClassRecords records;
    std::int64_t count = 0;
    for (const VertexId v : vertices) {
      const std::uint64_t mine = priority(v, mark[v]);
      const std::span<const VertexId> row = out.neighbors(v);
      records.begin(v);
      for (const VertexId u : row) {
        const std::uint32_t m = mark[u];
        if (m <= row.size()) {
          records.add_taken(m);
        } else if (m >= kUncolored && priority(u, m) > mine) {
          records.add_before(u);
          ++count;
        }
      }
      records.end();
    }
    told.mine().insert(told.mine().end(), records.words().begin(), records.words().end());
    add_shared(before, count);
  }
  void forget_told() {
    told = {};
    before = 0;
  }

  /// Enters v into the list of u. False if u has got its color meanwhile.
  bool wait_for(VertexId u, VertexId v) const {
    std::atomic_ref head(waiting[u]);
    VertexId first = head.load(std::memory_order_acquire);
    do {
      if (first == u) return false;
      next[v] = first;
    } while (!head.compare_exchange_weak(first, v, std::memory_order_acq_rel,
                                         std::memory_order_acquire));
    return true;
  }

  /// Continues with the row of v. Neighbors get their colors in no order, so there are no branches
  /// on them, and one for the end, which is seldom taken.
  Sight look(VertexId v, Sight sight) const {
    const std::uint64_t mine = priority(v, load_shared(mark[v]));
    const std::span<const VertexId> row = out.neighbors(v);
    std::uint64_t taken = sight.taken;
    std::uint64_t i = sight.looked;
    for (; i < row.size(); ++i) {
      const std::uint32_t m = load_shared(mark[row[i]]);
      if (priority(row[i], m) > mine) break;
      taken |= m < kBitsPerWord ? std::uint64_t{1} << m : 0;
    }
    return {taken, i};
  }

  /// The smallest color that no neighbor has. Later neighbors have none yet.
  std::uint32_t free_color(VertexId v, std::uint64_t taken_of_first,
                           std::vector<std::uint64_t>& taken) const {
    if (~taken_of_first != 0) return static_cast<std::uint32_t>(std::countr_one(taken_of_first));
    const std::span<const VertexId> row = out.neighbors(v);
    taken.assign(static_cast<std::size_t>(bitmap_words(std::ssize(row) + 1)), 0);
    for (const VertexId u : row) {
      const std::uint32_t m = load_shared(mark[u]);
      if (m <= row.size()) taken[m / kBitsPerWord] |= std::uint64_t{1} << (m % kBitsPerWord);
    }
    const auto word = std::ranges::find_if(taken, [](std::uint64_t w) { return ~w != 0; });
    return static_cast<std::uint32_t>((word - taken.begin()) * kBitsPerWord +
                                      std::countr_one(*word));
  }

  /// Publishes the color on this locale; vertices that waited for it go to `ready`.
  void publish(VertexId v, std::uint32_t c, std::vector<VertexId>& ready) const {
    std::atomic_ref(mark[v]).store(c, std::memory_order_relaxed);
    VertexId w = std::atomic_ref(waiting[v]).exchange(v, std::memory_order_acq_rel);
    for (; w != kNobody; w = next[w]) ready.push_back(w);
  }
};
using Locals = LocaleState<Local>;

/// Colors vertices, and those that this lets continue.
class Painter {
 public:
  explicit Painter(Locals locals) : locals_(locals), mine_(*locals) {}

  void paint(std::span<const VertexId> vertices) {
    for_each_ahead(mine_.out, vertices, 0, std::ssize(vertices), [&](std::int64_t i) {
      paint(vertices[static_cast<std::size_t>(i)], Sight{});
      paint_ready();
    });
  }

  /// The color of a vertex of another locale.
  void learn(VertexId v, std::uint32_t color) {
    mine_.publish(v, color, ready_);
    paint_ready();
  }

 private:
  void paint_ready() {
    while (!ready_.empty()) {
      const VertexId v = ready_.back();
      ready_.pop_back();
      paint(v, mine_.seen[v]);
    }
  }

  /// Gives v its color, or makes it wait.
  void paint(VertexId v, Sight sight) {
    const std::span<const VertexId> row = mine_.out.neighbors(v);
    for (;;) {
      sight = mine_.look(v, sight);
      if (sight.looked == row.size()) {
        const std::uint32_t color = mine_.free_color(v, sight.taken, taken_);
        tell_others(v, color);
        mine_.publish(v, color, ready_);
        return;
      }
      mine_.seen[v] = sight;
      if (mine_.wait_for(row[sight.looked], v)) return;
    }
  }

  // Rows are ascending, and locales have consecutive vertices.
  void tell_others(VertexId v, std::uint32_t color) const;

  Locals locals_;
  const Local& mine_;
  std::vector<VertexId> ready_;
  std::vector<std::uint64_t> taken_;
};

struct Tell {
  Locals locals;
  std::uint64_t vertex;
  std::uint32_t color;
  void operator()() const { Painter(locals).learn(untagged(vertex), color); }
};

void Painter::tell_others(VertexId v, std::uint32_t color) const {
  if (locale_count() == 1) return;
  const std::span<const VertexId> row = mine_.out.neighbors(v);
  for (auto at = row.begin(); at != row.end();) {
    const int home = mine_.graph.home(*at);
    const int locale = home / cores_per_locale();
    if (locale != this_locale()) delegate::async::call(home, Tell{locals_, v | kVertexTag, color});
    at = std::lower_bound(at, row.end(), mine_.graph.first_vertex_of(locale + 1),
                          [](VertexId w, std::int64_t first) { return w < first; });
  }
}

class Coloring {
 public:
  explicit Coloring(const Graph& graph) : graph_(graph) { create(); }

  ColoringResult run() {
    ClassSizes sizes{};
    for (const ClassSizes& here :
         gather_locales([locals = *locals_] { return locals->class_sizes(); }))
      std::ranges::transform(sizes, here, sizes.begin(), std::plus<>());
    std::int64_t budget = graph_.arc_count() / tuning::kReplicatedPart / core_count();
    for (int log = kLogs; log-- > 0;) {
      const std::int64_t size = sizes[static_cast<std::size_t>(log)];
      if (size == 0) continue;
      mark_round("class", log);
      on_all_locales([locals = *locals_, log] { locals->begin_class(log); });
      if (!paint_everywhere(size, budget)) paint_at_home();
    }
    ColoringResult result;
    result.color = graph_.make_vertex_array_for_overwrite<std::uint32_t>();
    result.colors = reduce_cores(
        [to = *result.color, mark = *mark_, graph = graph_] {
          auto at = to.local().begin();
          std::int64_t most = 0;
          for (std::int64_t v = graph.core_begin(); v < graph.core_end(); ++v) {
            const std::uint32_t c = mark.data()[v];
            *at++ = c;
            most = std::max<std::int64_t>(most, c + 1);
          }
          return most;
        },
        std::int64_t{0}, std::ranges::max);
    return result;
  }

 private:
  /// Each locale colors its vertices of the class.
  void paint_at_home() {
    on_each_locale([locals = *locals_] {
      forall_here(0, locals->begin_taking(), {.grain = 1}, [locals](std::int64_t) {
        stop_if_cancelled();
        Painter(locals).paint(locals->take_some());
      });
    });
  }

  /// Each locale colors all vertices of the class, if that is little work, by the budget, which it
  /// lessens; else returns false, and nothing has changed.
  bool paint_everywhere(std::int64_t size, std::int64_t& budget) {
    std::int64_t cost = size * tuning::kArcsOfColoring;
    if (locale_count() == 1 || cost > budget) return false;
    cost += reduce_locales([locals = *locals_] {
      forall_here(0, locals->begin_taking(), {.grain = 1},
                  [locals](std::int64_t) { locals->tell(locals->take_some()); });
      return locals->before;
    });
    const bool is_little = cost <= budget;
    if (is_little) {
      budget -= cost;
      on_all_locales([locals = *locals_, exchange = *exchange_] {
        std::vector<ClassWord> words;
        const CoreLists<ClassWord>& told = locals->told;
        told.for_range(0, told.size(), [&](std::span<const ClassWord> part) {
          words.insert(words.end(), part.begin(), part.end());
        });
        for (int locale = 0; locale < locale_count(); ++locale) exchange.send(locale, words);
      });
      on_all_locales([locals = *locals_, exchange = *exchange_] {
        std::vector<std::vector<ClassWord>> words;
        for (int locale = 0; locale < locale_count(); ++locale)
          words.push_back(exchange.take<ClassWord>(locale));
        paint_in_order(words, random_rank, locals->mark);
      });
    }
    on_all_locales([locals = *locals_] { locals->forget_told(); });
    return is_little;
  }

  void create() {
    const std::int64_t all = graph_.vertices_per_core() * core_count();
    const std::int64_t of_locale = graph_.vertices_per_core() * cores_per_locale();
    mark_ = Replica<std::uint32_t>::create_for_overwrite(all);
    waiting_ = Replica<VertexId>::create_for_overwrite(all);
    waiting_->fill(kNobody);
    next_ = Replica<VertexId>::create_for_overwrite(of_locale);
    seen_ = Replica<Sight>::create_for_overwrite(of_locale);
    order_ = Replica<VertexId>::create_for_overwrite(of_locale);
    exchange_ = Exchange::create();
    locals_ = Locals::create();
    on_each_locale([graph = graph_, locals = *locals_, mark = *mark_, waiting = *waiting_,
                    next = *next_, seen = *seen_, order = *order_] {
      Local& mine = *locals;
      mine.graph = graph;
      mine.out = graph.out();
      mine.begin = graph.locale_begin();
      mine.end = graph.locale_end();
      mine.mark = mark.data();
      mine.waiting = waiting.data();
      mine.next = next.data() - mine.begin;
      mine.seen = seen.data() - mine.begin;
      mine.order = order.data();
      forall_range_here(mine.begin, mine.end, [graph, mark](std::int64_t first, std::int64_t last) {
        const Adjacency out = graph.out();
        for (std::int64_t v = first; v < last; ++v) {
          const auto degree = static_cast<std::uint64_t>(out.degree(v));
          // Where edges stand more than once, a degree may be beyond all vertices.
          const int log = std::min(static_cast<int>(std::bit_width(degree)), kLogs - 1);
          mark.data()[v] = kUncolored + static_cast<std::uint32_t>(log);
        }
      });
    });
    mark_->all_gather(vertices_of_locale(graph_));
    const Owned sort = CountingSort::create(kLogs << kRankBits);
    on_each_locale([locals = *locals_, sort = *sort] {
      const Local& mine = *locals;
      sort.sort_here(
          mine.begin, mine.end,
          [locals] {
            return [mark = locals->mark](std::int64_t v) {
              return class_of(static_cast<VertexId>(v), mark[v]);
            };
          },
          [locals] {
            return [order = locals->order](std::int64_t v, std::int64_t position) {
              order[position] = static_cast<VertexId>(v);
            };
          });
    });
  }

  const Graph graph_;
  Owned<Replica<std::uint32_t>> mark_;
  Owned<Replica<VertexId>> waiting_;
  Owned<Replica<VertexId>> next_;
  Owned<Replica<Sight>> seen_;
  Owned<Replica<VertexId>> order_;
  Owned<Exchange> exchange_;
  Owned<Locals> locals_;
};

}  // namespace

ColoringResult color(const Graph& graph) {
  graph.require_live("coloring");
  graph.require_undirected("coloring");
  return Coloring(graph).run();
}

}  // namespace grappa::graph
