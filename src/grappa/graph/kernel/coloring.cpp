// Greedy colouring in parallel, after Jones and Plassmann [1]: a vertex gets the smallest colour
// that none of its neighbours before it in the order has, as soon as all of these have theirs. The
// order is by the logarithm of the degree, the greatest first, and pseudo-random among equals: few
// colours, and short chains of vertices that wait for one another [2].
//
// There are no rounds. Of its neighbours before it that have no colour yet, a vertex enters itself
// into the list of those who wait for the last one; whoever colours that lets all of the list look
// again. Most find then that nothing is missing. So rows are gone through about three times, and an
// atomic operation is needed for a wait, not for an edge.
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
#include "grappa/graph/locale_parts.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/graph/vertex_order.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

constexpr std::uint32_t kNoColor = 0xffffffff;
// The end of a list of waiting vertices.
constexpr VertexId kNobody = kNoVertex;
constexpr std::int64_t kGrain = 256;

/// What the cores of a locale share. Arrays of vertices are indexed by the vertex.
struct Share {
  Graph graph;
  Adjacency out;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  // Of all vertices:
  const std::uint8_t* log_degree = nullptr;
  std::uint32_t* color = nullptr;
  // The first of those here who wait for the vertex; the vertex itself once it has its colour.
  VertexId* waiting = nullptr;
  // Of the vertices here:
  VertexId* next = nullptr;  // in the list that the vertex is in

  /// Whether u gets its colour before v.
  bool precedes(VertexId u, VertexId v) const {
    if (log_degree[u] != log_degree[v]) return log_degree[u] > log_degree[v];
    return random_rank(u) > random_rank(v);
  }
  std::uint32_t color_of(VertexId v) const {
    return std::atomic_ref(color[v]).load(std::memory_order_acquire);
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

  /// Whether all neighbours before v have their colours; else v waits for the last of them.
  bool is_ready(VertexId v) const {
    for (;;) {
      VertexId last = kNobody;
      for (const VertexId u : out.neighbors(v)) {
        if (color_of(u) != kNoColor || u == v || !precedes(u, v)) continue;
        if (last == kNobody || precedes(last, u)) last = u;
      }
      if (last == kNobody) return true;
      if (wait_for(last, v)) return false;
    }
  }

  /// The smallest colour that no neighbour before v has.
  std::uint32_t free_color(VertexId v, std::vector<std::uint64_t>& taken) const {
    const std::span<const VertexId> row = out.neighbors(v);
    taken.assign(static_cast<std::size_t>(bitmap_words(std::ssize(row) + 1)), 0);
    for (const VertexId u : row) {
      // Neighbours behind v have none before it has.
      const std::uint32_t c = color_of(u);
      if (c <= row.size()) taken[c / kBitsPerWord] |= std::uint64_t{1} << (c % kBitsPerWord);
    }
    const auto word = std::ranges::find_if(taken, [](std::uint64_t w) { return ~w != 0; });
    return static_cast<std::uint32_t>((word - taken.begin()) * kBitsPerWord +
                                      std::countr_one(*word));
  }

  /// Makes the colour known here; those who waited for it go to `ready`.
  void publish(VertexId v, std::uint32_t c, std::vector<VertexId>& ready) const {
    std::atomic_ref(color[v]).store(c, std::memory_order_release);
    VertexId w = std::atomic_ref(waiting[v]).exchange(v, std::memory_order_acq_rel);
    for (; w != kNobody; w = next[w]) ready.push_back(w);
  }
};
using Shares = Replica<Share*>;

/// Colours vertices, and those that can go on by that.
class Painter {
 public:
  explicit Painter(Shares shares) : shares_(shares), mine_(**shares.data()) {}

  void paint(VertexId v) {
    ready_.push_back(v);
    paint_ready();
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
      if (!mine_.is_ready(v)) continue;
      const std::uint32_t color = mine_.free_color(v, taken_);
      tell_others(v, color);
      mine_.publish(v, color, ready_);
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
    next_.destroy();
    waiting_.destroy();
    color_.destroy();
    log_degree_.destroy();
  }
  Coloring(const Coloring&) = delete;
  Coloring& operator=(const Coloring&) = delete;

  ColoringResult run() {
    on_each_locale([shares = shares_] {
      const Share& mine = **shares.data();
      forall_range_here(mine.begin, mine.end, {.grain = kGrain},
                        [shares](std::int64_t first, std::int64_t last) {
                          Painter painter(shares);
                          for (std::int64_t v = first; v < last; ++v)
                            painter.paint(static_cast<VertexId>(v));
                        });
    });
    ColoringResult result;
    result.color = graph_.make_vertex_array_for_overwrite<std::uint32_t>();
    result.colors = reduce_cores(
        [to = result.color, color = color_, graph = graph_] {
          const std::int64_t first = this_core() * graph.vertices_per_core();
          const std::int64_t last =
              std::min(graph.vertex_count(), first + graph.vertices_per_core());
          std::int64_t most = 0;
          for (std::int64_t v = first; v < last; ++v) {
            const std::uint32_t c = color.data()[v];
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
    log_degree_ = Replica<std::uint8_t>::create_for_overwrite(all);
    color_ = Replica<std::uint32_t>::create_for_overwrite(all);
    color_.fill(kNoColor);
    waiting_ = Replica<VertexId>::create_for_overwrite(all);
    waiting_.fill(kNobody);
    next_ = Replica<VertexId>::create_for_overwrite(of_locale);
    shares_ = Shares::create(1);
    on_each_locale([graph = graph_, shares = shares_, log_degree = log_degree_, color = color_,
                    waiting = waiting_, next = next_] {
      auto* const mine = *shares.data() = new Share;
      mine->graph = graph;
      mine->out = graph.out();
      mine->begin = graph.locale_begin();
      mine->end = graph.locale_end();
      mine->log_degree = log_degree.data();
      mine->color = color.data();
      mine->waiting = waiting.data();
      mine->next = next.data() - mine->begin;
      forall_here(mine->begin, mine->end, [graph, log_degree](std::int64_t v) {
        log_degree.data()[v] = static_cast<std::uint8_t>(
            std::bit_width(static_cast<std::uint64_t>(graph.out().degree(v))));
      });
    });
    log_degree_.share(vertices_of_locale(graph_));
  }

  const Graph graph_;
  Replica<std::uint8_t> log_degree_;
  Replica<std::uint32_t> color_;
  Replica<VertexId> waiting_;
  Replica<VertexId> next_;
  Shares shares_;
};

}  // namespace

void ColoringResult::destroy() { color.destroy(); }

ColoringResult color(const Graph& graph) {
  if (graph.is_directed()) throw UsageError("coloring: the graph has to be undirected");
  return Coloring(graph).run();
}

}  // namespace grappa::graph
