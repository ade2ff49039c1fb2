// Delta-stepping [1]: tentative distances fall into buckets of width delta, which are emptied in
// ascending order; a bucket is emptied in rounds, as vertices in it may improve each other. With
// shared memory it follows the GAP benchmark suite [2]: each core has buckets of its own for what
// it finds, edges are not divided into light and heavy ones, and a core goes on by itself with what
// it has just put into the bucket that is being emptied, so long as that is little ("bucket
// fusion" [3]), which saves most of the rounds on graphs like roads.
//
// An entry of a bucket is a vertex with the distance that put it there. It is skipped when the
// vertex has a smaller one by then, so no distance of a vertex is followed twice.
//
// Buckets are a window over the line of distances; what lies behind it waits in a list until the
// window has been emptied. Distances are 32-bit integers while weights are and paths stay short
// enough, which is found out on the way; else doubles.
//
// Every locale has a distance for each vertex: of its own vertices the tentative distance, of
// others the least that it has sent there. So it sends a vertex a distance only if that is smaller
// than any before.
//
// [1] U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of
//     Algorithms 49, 2003.
// [2] S. Beamer, K. Asanovic, D. Patterson, "The GAP benchmark suite", arXiv:1508.03619, 2015.
// [3] Y. Zhang et al., "Optimizing ordered graph algorithms with GraphIt", CGO 2020.
#include "grappa/graph/kernel/sssp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/core_lists.hpp"
#include "grappa/graph/hub_rows.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/graph/shared_values.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

constexpr std::int64_t kBuckets = 256;  // in the window
constexpr std::int64_t kGrain = 64;     // entries
// How many entries ahead a vertex's row, and before that its offset, is prefetched.
constexpr std::size_t kPrefetchRow = 4;
constexpr std::size_t kPrefetchOffset = 8;
// A core goes on by itself with so many entries of the bucket that is being emptied.
constexpr std::size_t kMostFused = 1024;
constexpr std::int64_t kNoBucket = std::numeric_limits<std::int64_t>::max();

template <class Distance>
constexpr Distance kUnreachedAt =
    std::numeric_limits<Distance>::has_infinity ? std::numeric_limits<Distance>::infinity()
                                                : std::numeric_limits<Distance>::max();

/// A vertex, and the distance that it had when it was put into a bucket.
template <class Distance>
struct Entry {
  Distance distance;
  VertexId vertex;
};

/// A core's buckets.
template <class Distance>
struct Buckets {
  using Entries = std::vector<Entry<Distance>>;
  std::array<Entries, kBuckets> window;
  Entries behind;  // the window
  Entries fused;
  bool is_fusing = false;  // a task of this core, which may be suspended
  std::int64_t relaxations = 0;
};

/// What the cores of a locale share. Arrays of vertices are indexed by the vertex.
template <class Distance>
struct Share {
  Graph graph;
  Adjacency out;
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  Distance* distance = nullptr;
  Buckets<Distance>* buckets = nullptr;           // [cores of the locale]
  CoreLists<Entry<Distance>>* current = nullptr;  // what is followed in the round
  double buckets_a_unit = 1;                      // of distance: 1/delta
  std::int64_t window_begin = 0;                  // the number of the window's first bucket
  std::int64_t bucket = 0;                        // that is being emptied
  // The distance from which on a path may be too long for Distance.
  double safe_distance = 0;
  bool too_long = false;  // such a path was found

  std::int64_t bucket_of(Distance d) const {
    constexpr double kLast = 1e18;
    return static_cast<std::int64_t>(std::min(static_cast<double>(d) * buckets_a_unit, kLast));
  }
  typename Buckets<Distance>::Entries& window_bucket(Buckets<Distance>& of_core,
                                                     std::int64_t which) const {
    return of_core.window[static_cast<std::size_t>(which - window_begin)];
  }
  void put(Buckets<Distance>& mine, Entry<Distance> entry) const {
    const std::int64_t at = bucket_of(entry.distance) - window_begin;
    (at < kBuckets ? mine.window[static_cast<std::size_t>(at)] : mine.behind).push_back(entry);
  }
};

template <class Distance>
using Shares = Replica<Share<Distance>>;

/// A shorter path to a vertex of another locale.
template <class Distance>
struct Relax {
  Shares<Distance> shares;
  std::uint64_t vertex;
  Distance distance;

  void operator()() const {
    Share<Distance>& mine = *shares.data();
    const auto v = untagged(vertex);
    if (lower_shared(mine.distance[v], distance))
      mine.put(mine.buckets[core_in_locale()], {distance, v});
  }
};

/// A shorter path to a split hub of another locale, for its neighbours on this core.
template <class Weight, class Distance>
struct RelaxFromHub {
  Shares<Distance> shares;
  std::uint64_t hub;
  Distance so_far;

  void operator()() const {
    Share<Distance>& mine = *shares.data();
    Buckets<Distance>& buckets = mine.buckets[core_in_locale()];
    const auto [row, weights, here] = hub_row_here<Weight>(mine.graph, hub);
    for (std::size_t k = here.first; k < here.last; ++k) {
      const auto distance = static_cast<Distance>(so_far + weights[k]);
      if (lower_shared(mine.distance[row[k]], distance)) mine.put(buckets, {distance, row[k]});
    }
  }
};

/// Follows the out-edges of entries of a bucket.
template <class Weight, class Distance>
class Follower {
 public:
  explicit Follower(Shares<Distance> shares)
      : shares_(shares), mine_(*shares.data()), buckets_(mine_.buckets[core_in_locale()]) {}

  void follow(std::span<const Entry<Distance>> entries) {
    const Adjacency out = mine_.out;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i + kPrefetchOffset < entries.size())
        out.prefetch_offset(entries[i + kPrefetchOffset].vertex);
      if (i + kPrefetchRow < entries.size()) out.prefetch_row(entries[i + kPrefetchRow].vertex);
      follow(out, entries[i]);
    }
  }

  /// What has come into the bucket on this core meanwhile, while that is little.
  void follow_fused() {
    if (buckets_.is_fusing) return;
    buckets_.is_fusing = true;
    auto& more = mine_.window_bucket(buckets_, mine_.bucket);
    while (!more.empty() && more.size() <= kMostFused) {
      buckets_.fused.clear();
      std::swap(buckets_.fused, more);
      follow(buckets_.fused);
    }
    buckets_.is_fusing = false;
  }

 private:
  void follow(const Adjacency& out, Entry<Distance> entry) {
    const Distance so_far = entry.distance;
    if (load_shared(mine_.distance[entry.vertex]) < so_far) return;
    if (static_cast<double>(so_far) >= mine_.safe_distance) {
      std::atomic_ref(mine_.too_long).store(true, std::memory_order_relaxed);
      return;
    }
    const std::span<const VertexId> row = out.neighbors(entry.vertex);
    const auto weights = out.template weights<Weight>(entry.vertex);
    buckets_.relaxations += std::ssize(row);
    RowPart part{0, row.size()};
    if (mine_.graph.is_split(row.size())) {
      part = push_to_other_homes(mine_.graph, entry.vertex, row, [&](int core, std::uint64_t hub) {
        delegate::async::call(core, RelaxFromHub<Weight, Distance>{shares_, hub, so_far});
      });
    }
    for (std::size_t i = part.first; i < part.last; ++i) {
      const VertexId v = row[i];
      const auto distance = static_cast<Distance>(so_far + weights[i]);
      if (distance >= load_shared(mine_.distance[v])) continue;
      if (!lower_shared(mine_.distance[v], distance)) continue;
      if (v >= mine_.begin && v < mine_.end) {
        mine_.put(buckets_, {distance, v});
      } else {
        delegate::async::call(mine_.graph.home(v),
                              Relax<Distance>{shares_, v | kVertexTag, distance});
      }
    }
  }

  Shares<Distance> shares_;
  Share<Distance>& mine_;
  Buckets<Distance>& buckets_;
};

/// Entries [first, last) of this round, of all cores of the locale, one behind the other.
template <class Weight, class Distance>
struct FollowRange {
  Shares<Distance> shares;

  void operator()(std::int64_t first, std::int64_t last) const {
    Follower<Weight, Distance> follower(shares);
    shares.data()->current->for_range(
        first, last, [&](std::span<const Entry<Distance>> entries) { follower.follow(entries); });
    follower.follow_fused();
  }
};

/// What was reached on a core.
struct Reached {
  std::int64_t vertices = 0;
  double farthest = 0;
  std::int64_t relaxations = 0;
};

template <class Weight, class Distance>
class Search {
 public:
  Search(const Graph& graph, VertexId source, double delta) : graph_(graph), delta_(delta) {
    create();
    delegate::call(graph_.home(source), [shares = shares_, source] {
      Share<Distance>& mine = *shares.data();
      mine.distance[source] = 0;
      mine.put(mine.buckets[core_in_locale()], {0, source});
    });
  }
  ~Search() {
    on_each_locale([shares = shares_] {
      delete[] shares.data()->buckets;
      delete shares.data()->current;
    });
    shares_.destroy();
    distance_.destroy();
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// False if a path was too long for Distance.
  bool run() {
    std::int64_t bucket = 0;
    while (bucket != kNoBucket) {
      ++rounds_;
      follow_bucket(bucket);
      const Rest rest = what_is_left();
      if (rest.too_long) return false;
      bucket = rest.bucket;
      if (bucket == kNoBucket && rest.behind != kNoBucket) {
        bucket = rest.behind;
        move_window(bucket);
      }
    }
    return true;
  }

  SsspResult result() {
    SsspResult result;
    result.delta = delta_;
    result.rounds = rounds_;
    result.distance = graph_.make_vertex_array_for_overwrite<double>();
    const Reached all = reduce_cores(
        [distance = result.distance, shares = shares_] {
          return copy_distances(distance.local(), *shares.data());
        },
        Reached(),
        [](Reached a, const Reached& b) {
          a.vertices += b.vertices;
          a.farthest = std::max(a.farthest, b.farthest);
          a.relaxations += b.relaxations;
          return a;
        });
    result.reached = all.vertices;
    result.farthest = all.farthest;
    result.relaxations = all.relaxations;
    return result;
  }

 private:
  void create() {
    distance_ = Replica<Distance>::create_for_overwrite(graph_.vertex_count());
    distance_.fill(kUnreachedAt<Distance>);
    shares_ = Shares<Distance>::create(1);
    const double greatest = graph_.weight_range().greatest;
    on_each_locale(
        [graph = graph_, distance = distance_, shares = shares_, delta = delta_, greatest] {
          Share<Distance>& mine = *shares.data();
          mine.graph = graph;
          mine.out = graph.out();
          mine.begin = graph.locale_begin();
          mine.end = graph.locale_end();
          mine.distance = distance.data();
          mine.buckets = new Buckets<Distance>[static_cast<std::size_t>(cores_per_locale())];
          mine.current = new CoreLists<Entry<Distance>>;
          mine.buckets_a_unit = 1 / delta;
          mine.safe_distance = std::is_same_v<Distance, double>
                                   ? std::numeric_limits<double>::infinity()
                                   : static_cast<double>(kUnreachedAt<Distance>) - greatest;
        });
  }

  /// A round over a bucket; vertices may be in it again afterwards.
  void follow_bucket(std::int64_t bucket) {
    on_each_locale([shares = shares_, bucket] {
      Share<Distance>& mine = *shares.data();
      mine.bucket = bucket;
      for (int core = 0; core < cores_per_locale(); ++core) {
        mine.current->of(core).clear();
        std::swap(mine.current->of(core), mine.window_bucket(mine.buckets[core], bucket));
      }
      const std::int64_t entries = mine.current->size();
      const FollowRange<Weight, Distance> follow{shares};
      if (entries <= kGrain) {
        follow(0, entries);
      } else {
        forall_range_here(0, entries, {.grain = kGrain}, follow);
      }
    });
  }

  /// What the buckets of a locale hold, or those of all.
  struct Rest {
    std::int64_t bucket = kNoBucket;  // the first of the window with entries, from the last one on
    std::int64_t behind = kNoBucket;  // the first behind the window, if there is none in it
    bool too_long = false;
  };

  Rest what_is_left() {
    Rest all;
    for (const Rest& part :
         gather_locales([shares = shares_] { return left_here(*shares.data()); })) {
      all.bucket = std::min(all.bucket, part.bucket);
      all.behind = std::min(all.behind, part.behind);
      all.too_long = all.too_long || part.too_long;
    }
    return all;
  }

  static Rest left_here(const Share<Distance>& mine) {
    Rest rest{.too_long = mine.too_long};
    const std::span<Buckets<Distance>> of_cores(mine.buckets,
                                                static_cast<std::size_t>(cores_per_locale()));
    for (std::int64_t b = mine.bucket; b < mine.window_begin + kBuckets; ++b) {
      for (Buckets<Distance>& of_core : of_cores) {
        if (mine.window_bucket(of_core, b).empty()) continue;
        rest.bucket = b;
        return rest;
      }
    }
    for (const Buckets<Distance>& of_core : of_cores) {
      for (const Entry<Distance>& entry : of_core.behind)
        rest.behind = std::min(rest.behind, mine.bucket_of(entry.distance));
    }
    return rest;
  }

  void move_window(std::int64_t begin) {
    on_all_cores([shares = shares_, begin] {
      Share<Distance>& mine = *shares.data();
      if (core_in_locale() == 0) mine.window_begin = begin;
    });
    on_all_cores([shares = shares_] {
      const Share<Distance>& mine = *shares.data();
      Buckets<Distance>& of_core = mine.buckets[core_in_locale()];
      for (const Entry<Distance>& entry : std::exchange(of_core.behind, {})) {
        if (entry.distance == mine.distance[entry.vertex]) mine.put(of_core, entry);
      }
    });
  }

  /// Of this core's vertices.
  static Reached copy_distances(std::span<double> to, const Share<Distance>& share) {
    Reached reached;
    reached.relaxations = share.buckets[core_in_locale()].relaxations;
    const std::int64_t first = this_core() * share.graph.vertices_per_core();
    const std::int64_t count = std::clamp<std::int64_t>(share.end - first, 0, std::ssize(to));
    for (std::int64_t i = 0; i < count; ++i) {
      const Distance d = share.distance[first + i];
      if (d == kUnreachedAt<Distance>) {
        to[static_cast<std::size_t>(i)] = kUnreachedAt<double>;
        continue;
      }
      const auto finite = static_cast<double>(d);
      to[static_cast<std::size_t>(i)] = finite;
      ++reached.vertices;
      reached.farthest = std::max(reached.farthest, finite);
    }
    return reached;
  }

  const Graph graph_;
  const double delta_;
  std::int64_t rounds_ = 0;
  Replica<Distance> distance_;
  Shares<Distance> shares_;
};

/// Meyer and Sanders have a bucket as wide as the greatest weight divided by the mean degree, for
/// weights drawn evenly: within it a vertex leads to about one other. Wider ones have fewer rounds
/// and more edges looked at in vain. A quarter of it was the best of eight widths on kron:20 and
/// urand:20; on a grid a sixteenth to an eighth was, by a little.
double chosen_delta(const Graph& graph) {
  const double vertices = static_cast<double>(std::max<std::int64_t>(1, graph.vertex_count()));
  const double degree = std::max(1.0, static_cast<double>(graph.arc_count()) / vertices);
  const double delta = graph.weight_range().greatest / degree / 4;
  return delta > 0 && std::isfinite(delta) && std::isfinite(1 / delta) ? delta : 1;
}

}  // namespace

void SsspResult::destroy() { distance.destroy(); }

double checked_delta(const Graph& graph, VertexId source, const SsspOptions& options) {
  if (source >= graph.vertex_count()) {
    throw UsageError(
        fmt::format("sssp: {} is not a vertex of a graph of {}", source, graph.vertex_count()));
  }
  if (graph.weight_range().least < 0) {
    throw UsageError(fmt::format("sssp: weights are not negative, but the least of these is {}",
                                 graph.weight_range().least));
  }
  if (!(options.delta >= 0) || !std::isfinite(options.delta) ||
      (options.delta > 0 && !std::isfinite(1 / options.delta)))
    throw UsageError(
        fmt::format("sssp: delta {}: expected a number from 1e-300 to 1e300, or 0 for "
                    "one that is chosen",
                    options.delta));
  return options.delta > 0 ? options.delta : chosen_delta(graph);
}

SsspResult sssp(const Graph& graph, VertexId source, const SsspOptions& options) {
  const double delta = checked_delta(graph, source, options);
  return visit_weights(graph.weight_type(), [&]<class Weight>(Weight) {
    if constexpr (!std::is_same_v<Weight, double>) {
      Search<Weight, std::uint32_t> search(graph, source, delta);
      if (search.run()) return search.result();
    }
    Search<Weight, double> search(graph, source, delta);
    search.run();
    return search.result();
  });
}

}  // namespace grappa::graph
