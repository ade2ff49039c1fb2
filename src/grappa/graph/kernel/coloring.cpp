// Greedy colouring in parallel, after Jones and Plassmann [1]: a vertex gets the smallest colour
// that none of its neighbours before it in the order has, as soon as all of these have theirs. The
// order is by the logarithm of the degree, the greatest first, and pseudo-random among equals: few
// colours, and short chains of vertices that wait for one another [2].
//
// The cores of a locale take its vertices in about that order, from a list that a counting sort has
// made. So nearly always the neighbours before a vertex have their colours when its turn comes, and
// its row is gone through once. Where some have not, the vertex enters itself into the list of
// those who wait for the last of them; whoever colours that lets all of the list look again. An
// atomic operation is needed for a wait, not for an edge, and there are no rounds.
//
// Every locale has the colours of all vertices that its own ones have as neighbours, and lists of
// its own vertices that wait for them: a vertex's colour goes to each other locale on which it has
// neighbours, once, and ends the waits there.
//
// [1] M. Jones, P. Plassmann, "A parallel graph coloring heuristic", SIAM J. Sci. Comput. 14, 1993.
// [2] W. Hasenplaugh et al., "Ordering heuristics for parallel graph coloring", SPAA 2014
//     (largest-log-degree-first).
#include "grappa/graph/kernel/coloring.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/bitmap.hpp"
#include "grappa/graph/counting_sort.hpp"
#include "grappa/graph/locale_parts.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/graph/shared_values.hpp"
#include "grappa/graph/vertex_order.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

// Marks of vertices: a colour, or from this one on, the logarithm of the degree of a vertex that
// has none yet.
constexpr std::uint32_t kUncolored = 0xffffff00;
// The end of a list of waiting vertices.
constexpr VertexId kNobody = kNoVertex;
// Classes of the sort: logarithms of degrees, each in so many parts by the pseudo-random number.
constexpr int kLogs = 32;
constexpr int kRankBits = 8;
// Vertices that a core takes at a time; how many ahead rows, and before that offsets, are
// prefetched.
constexpr std::int64_t kChunk = 256;
constexpr std::size_t kPrefetchOffset = 16;
constexpr std::size_t kPrefetchRow = 8;

/// Where a vertex that has no colour yet stands in the order: greater is before. That of a vertex
/// with a colour is behind all of those.
std::uint64_t priority(VertexId v, std::uint32_t mark) {
  return std::uint64_t{mark} << 32 | random_rank(v);
}

/// Its class in a sort that puts the greatest priorities first, roughly.
std::int64_t class_of(VertexId v, std::uint32_t mark) {
  const auto log = std::min<std::int64_t>(mark - kUncolored, kLogs - 1);
  const auto ascending = log << kRankBits | random_rank(v) >> (32 - kRankBits);
  return (kLogs << kRankBits) - 1 - ascending;
}

/// What the cores of a locale share. Arrays of vertices are indexed by the vertex.
struct Share {
  Graph graph;
  Adjacency out;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t* mark = nullptr;  // of all vertices
  // The first of those here who wait for the vertex; the vertex itself once it has its colour.
  VertexId* waiting = nullptr;  // of all vertices
  VertexId* next = nullptr;     // of the vertices here: in the list that the vertex is in
  VertexId* order = nullptr;    // the vertices here, the greatest priorities first
  std::int64_t visited = 0;     // how many of them cores have taken

  std::span<const VertexId> take_some() {
    const std::int64_t first =
        std::atomic_ref(visited).fetch_add(kChunk, std::memory_order_relaxed);
    return {order + first, order + std::min(first + kChunk, end - begin)};
  }

  /// False if u has got its colour meanwhile.
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

  /// What a vertex sees of its neighbours.
  struct Sight {
    std::uint64_t taken = 0;     // a bit for each colour below 64 that a neighbour has
    VertexId awaited = kNobody;  // of those before it without colour, the last
  };

  // Colours come as the neighbours get them, in no order: hence no branches for them.
  Sight look(VertexId v) const {
    Sight sight;
    const std::uint64_t mine = priority(v, load_shared(mark[v]));
    std::uint64_t least = ~std::uint64_t{0};
    for (const VertexId u : out.neighbors(v)) {
      const std::uint32_t m = load_shared(mark[u]);
      sight.taken |= m < kBitsPerWord ? std::uint64_t{1} << m : 0;
      const std::uint64_t theirs = priority(u, m);
      if (theirs > mine && theirs < least) {
        least = theirs;
        sight.awaited = u;
      }
    }
    return sight;
  }

  /// The smallest colour that no neighbour has. Those behind v have none before it has.
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

  /// Makes the colour known here; those who waited for it go to `ready`.
  void publish(VertexId v, std::uint32_t c, std::vector<VertexId>& ready) const {
    std::atomic_ref(mark[v]).store(c, std::memory_order_relaxed);
    VertexId w = std::atomic_ref(waiting[v]).exchange(v, std::memory_order_acq_rel);
    for (; w != kNobody; w = next[w]) ready.push_back(w);
  }
};
using Shares = Replica<Share*>;

/// Colours vertices, and those that can go on by that.
class Painter {
 public:
  explicit Painter(Shares shares) : shares_(shares), mine_(**shares.data()) {}

  void paint(std::span<const VertexId> vertices) {
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      if (i + kPrefetchOffset < vertices.size())
        mine_.out.prefetch_offset(vertices[i + kPrefetchOffset]);
      if (i + kPrefetchRow < vertices.size()) mine_.out.prefetch_row(vertices[i + kPrefetchRow]);
      paint(vertices[i]);
      paint_ready();
    }
  }

  /// The colour of a vertex of another locale.
  void learn(VertexId v, std::uint32_t color) {
    mine_.publish(v, color, ready_);
    paint_ready();
  }

 private:
  void paint_ready() {
    while (!ready_.empty()) {
      const VertexId v = ready_.back();
      ready_.pop_back();
      paint(v);
    }
  }

  /// Gives v its colour, or lets it wait.
  void paint(VertexId v) {
    for (;;) {
      const Share::Sight sight = mine_.look(v);
      if (sight.awaited == kNobody) {
        const std::uint32_t color = mine_.free_color(v, sight.taken, taken_);
        tell_others(v, color);
        mine_.publish(v, color, ready_);
        return;
      }
      if (mine_.wait_for(sight.awaited, v)) return;
    }
  }

  // Rows are ascending, and locales have consecutive vertices.
  void tell_others(VertexId v, std::uint32_t color) const;

  Shares shares_;
  const Share& mine_;
  std::vector<VertexId> ready_;
  std::vector<std::uint64_t> taken_;
};

struct Tell {
  Shares shares;
  std::uint64_t vertex;
  std::uint32_t color;
  void operator()() const { Painter(shares).learn(static_cast<VertexId>(vertex), color); }
};

void Painter::tell_others(VertexId v, std::uint32_t color) const {
  if (locale_count() == 1) return;
  const std::span<const VertexId> row = mine_.out.neighbors(v);
  for (auto at = row.begin(); at != row.end();) {
    const int home = mine_.graph.home(*at);
    const int locale = home / cores_per_locale();
    if (locale != this_locale()) delegate::async::call(home, Tell{shares_, v | kVertexTag, color});
    at = std::lower_bound(at, row.end(), mine_.graph.first_vertex_of(locale + 1),
                          [](VertexId w, std::int64_t first) { return w < first; });
  }
}

class Coloring {
 public:
  explicit Coloring(const Graph& graph) : graph_(graph) { create(); }
  ~Coloring() {
    on_each_locale([shares = shares_] { delete *shares.data(); });
    shares_.destroy();
    order_.destroy();
    next_.destroy();
    waiting_.destroy();
    mark_.destroy();
  }
  Coloring(const Coloring&) = delete;
  Coloring& operator=(const Coloring&) = delete;

  ColoringResult run() {
    on_each_locale([shares = shares_] {
      const Share& mine = **shares.data();
      const std::int64_t chunks = (mine.end - mine.begin + kChunk - 1) / kChunk;
      forall_here(0, chunks, {.grain = 1},
                  [shares](std::int64_t) { Painter(shares).paint((*shares.data())->take_some()); });
    });
    ColoringResult result;
    result.color = graph_.make_vertex_array_for_overwrite<std::uint32_t>();
    result.colors = reduce_cores(
        [to = result.color, mark = mark_, graph = graph_] {
          const std::int64_t first = this_core() * graph.vertices_per_core();
          const std::int64_t last =
              std::min(graph.vertex_count(), first + graph.vertices_per_core());
          std::int64_t most = 0;
          for (std::int64_t v = first; v < last; ++v) {
            const std::uint32_t c = mark.data()[v];
            to.local()[static_cast<std::size_t>(v - first)] = c;
            most = std::max<std::int64_t>(most, c + 1);
          }
          return most;
        },
        std::int64_t{0}, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
    return result;
  }

 private:
  void create() {
    const std::int64_t all = graph_.vertices_per_core() * core_count();
    const std::int64_t of_locale = graph_.vertices_per_core() * cores_per_locale();
    mark_ = Replica<std::uint32_t>::create_for_overwrite(all);
    waiting_ = Replica<VertexId>::create_for_overwrite(all);
    waiting_.fill(kNobody);
    next_ = Replica<VertexId>::create_for_overwrite(of_locale);
    order_ = Replica<VertexId>::create_for_overwrite(of_locale);
    shares_ = Shares::create(1);
    on_each_locale([graph = graph_, shares = shares_, mark = mark_, waiting = waiting_,
                    next = next_, order = order_] {
      auto* const mine = *shares.data() = new Share;
      mine->graph = graph;
      mine->out = graph.out();
      mine->begin = graph.locale_begin();
      mine->end = graph.locale_end();
      mine->mark = mark.data();
      mine->waiting = waiting.data();
      mine->next = next.data() - mine->begin;
      mine->order = order.data();
      forall_range_here(
          mine->begin, mine->end, [graph, mark](std::int64_t first, std::int64_t last) {
            const Adjacency out = graph.out();
            for (std::int64_t v = first; v < last; ++v) {
              mark.data()[v] = kUncolored + static_cast<std::uint32_t>(std::bit_width(
                                                static_cast<std::uint64_t>(out.degree(v))));
            }
          });
    });
    mark_.share(vertices_of_locale(graph_));
    auto sort = CountingSort::create(kLogs << kRankBits);
    on_each_locale([shares = shares_, sort] {
      const Share& mine = **shares.data();
      sort.sort_here(
          mine.begin, mine.end,
          [shares] {
            return [mark = (*shares.data())->mark](std::int64_t v) {
              return class_of(static_cast<VertexId>(v), mark[v]);
            };
          },
          [shares] {
            return [order = (*shares.data())->order](std::int64_t v, std::int64_t position) {
              order[position] = static_cast<VertexId>(v);
            };
          });
    });
    sort.destroy();
  }

  const Graph graph_;
  Replica<std::uint32_t> mark_;
  Replica<VertexId> waiting_;
  Replica<VertexId> next_;
  Replica<VertexId> order_;
  Shares shares_;
};

}  // namespace

void ColoringResult::destroy() { color.destroy(); }

ColoringResult color(const Graph& graph) {
  if (graph.is_directed()) throw UsageError("coloring: the graph has to be undirected");
  return Coloring(graph).run();
}

}  // namespace grappa::graph
