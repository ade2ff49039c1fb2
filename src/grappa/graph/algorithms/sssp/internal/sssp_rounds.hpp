#pragma once

// What a locale does for a round of delta-stepping; see sssp.cpp, the only file that includes this.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/exec/core_lists.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rows_ahead.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/framework/push_edges.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph::sssp_detail {

constexpr std::int64_t kNoBucket = std::numeric_limits<std::int64_t>::max();

template <class Distance>
constexpr Distance kUnreachedAt =
    std::numeric_limits<Distance>::has_infinity ? std::numeric_limits<Distance>::infinity()
                                                : std::numeric_limits<Distance>::max();

/// Whether sums of such weights may be Distances.
template <class Weight, class Distance>
constexpr bool kSumsFit = std::is_same_v<Distance, double> || !std::is_same_v<Weight, double>;

/// What the buckets hold that are not emptied yet: of a core, a locale, or all.
struct Rest {
  std::int64_t bucket = kNoBucket;  // the first of the window with entries, from the last one on
  std::int64_t entries = 0;         // in it
  std::int64_t behind = kNoBucket;  // the first behind the window; only if there is none in it
  bool too_long = false;            // a path
  bool cancelled = false;
  std::int64_t relaxations = 0;  // in the round that left this

  /// Whether starting and ending a round takes long in comparison with it.
  bool is_short() const {
    return relaxations <= tuning::kShortArcs * locale_count() &&
           entries <= tuning::kShortEntries * locale_count();
  }
};
inline Rest plus(const Rest& a, const Rest& b) {
  Rest sum = a.bucket <= b.bucket ? a : b;
  if (a.bucket == b.bucket) sum.entries = a.entries + b.entries;
  sum.behind = std::min(a.behind, b.behind);
  sum.too_long = a.too_long || b.too_long;
  sum.cancelled = a.cancelled || b.cancelled;
  sum.relaxations = a.relaxations + b.relaxations;
  return sum;
}

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
  std::array<Entries, tuning::kBuckets> window;
  Entries behind;  // the window
  std::int64_t relaxations = 0;
  Rest sent;  // in a superstep, to be in buckets of other locales
};

/// The state of a locale, which its cores share. Arrays of vertices are indexed by the vertex.
template <class Distance>
struct Local {
  Graph graph;
  Adjacency out;
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  Distance* distance = nullptr;
  std::vector<Buckets<Distance>> buckets =  // of each core
      std::vector<Buckets<Distance>>(static_cast<std::size_t>(cores_per_locale()));
  CoreLists<Entry<Distance>> current;  // what is followed in the round
  double buckets_a_unit = 1;           // of distance: 1/delta
  std::int64_t window_begin = 0;       // the number of the window's first bucket
  std::int64_t bucket = 0;             // that is being emptied
  // The distance from which on a path may be too long for Distance.
  double safe_distance = 0;
  bool too_long = false;         // such a path was found
  std::int64_t relaxations = 0;  // in all rounds

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
    (at < tuning::kBuckets ? mine.window[static_cast<std::size_t>(at)] : mine.behind)
        .push_back(entry);
  }
  /// What is left when that entry is.
  Rest rest_of(Distance d) const {
    const std::int64_t at = bucket_of(d);
    return at < window_begin + tuning::kBuckets ? Rest{.bucket = at, .entries = 1}
                                                : Rest{.behind = at};
  }
};

template <class Distance>
using Locals = LocaleState<Local<Distance>>;

/// A shorter path to a vertex of another locale.
template <class Distance>
struct Relax {
  Locals<Distance> locals;
  std::uint64_t vertex;
  Distance distance;

  void operator()() const {
    Local<Distance>& mine = *locals;
    const auto v = untagged(vertex);
    if (lower_shared(mine.distance[v], distance))
      mine.put(mine.buckets[core_in_locale()], {distance, v});
  }
};

/// Sends shorter paths at once: the loop over all locales ends when all have been run.
template <class Distance>
struct RelaxNow {
  Locals<Distance> locals;

  void operator()(Buckets<Distance>&, VertexId v, Distance distance) const {
    delegate::async::call(locals->graph.home(v), Relax<Distance>{locals, v | kVertexTag, distance});
  }
};

/// Keeps them for the end of the superstep. Not inlined, for the loop over edges (see BFS).
template <class Distance>
struct RelaxAtEnd {
  Locals<Distance> locals;
  Exchange exchange;

  [[gnu::noinline]] void operator()(Buckets<Distance>& mine, VertexId v, Distance distance) const {
    const Local<Distance>& local = *locals;
    exchange.add(locale_of(local.graph.home(v)), Entry<Distance>{distance, v});
    mine.sent = plus(mine.sent, local.rest_of(distance));
  }
};

/// A shorter path to a split hub of another locale, for its neighbors on this core.
template <class Weight, class Distance>
struct RelaxFromHub {
  Locals<Distance> locals;
  std::uint64_t hub;
  Distance so_far;

  void operator()() const {
    Local<Distance>& mine = *locals;
    Buckets<Distance>& buckets = mine.buckets[core_in_locale()];
    push_hub_edges<Weight>(mine.graph, hub, [&](VertexId v, Weight weight) {
      const auto distance = static_cast<Distance>(so_far + weight);
      if (lower_shared(mine.distance[v], distance)) mine.put(buckets, {distance, v});
    });
  }
};

/// Follows the out-edges of entries [first, last) of this round, counted over the lists of all
/// cores of the locale.
template <class Distance, class SendRelax>
struct FollowRange {
  Locals<Distance> locals;
  SendRelax send;

  void operator()(std::int64_t first, std::int64_t last) const {
    visit_weights(locals->graph.weight_type(), [&]<class Weight>(Weight) {
      if constexpr (kSumsFit<Weight, Distance>) follow_range<Weight>(first, last);
    });
  }

 private:
  template <class Weight>
  void follow_range(std::int64_t first, std::int64_t last) const {
    Local<Distance>& mine = *locals;
    Buckets<Distance>& buckets = mine.buckets[core_in_locale()];
    const Adjacency out = mine.out;
    mine.current.for_places(first, last, [&](auto entries, std::int64_t from, std::int64_t to) {
      for_each_ahead(
          out, entries, from, to,
          [&](std::int64_t i) {
            follow<Weight>(mine, buckets, out, entries[static_cast<std::size_t>(i)]);
          },
          &Entry<Distance>::vertex);
    });
  }

  template <class Weight>
  void follow(Local<Distance>& mine, Buckets<Distance>& buckets, const Adjacency& out,
              Entry<Distance> entry) const {
    const Distance so_far = entry.distance;
    if (load_shared(mine.distance[entry.vertex]) < so_far) return;
    if (static_cast<double>(so_far) >= mine.safe_distance) {
      std::atomic_ref(mine.too_long).store(true, std::memory_order_relaxed);
      return;
    }
    buckets.relaxations += out.degree(entry.vertex);
    Distance* const distances = mine.distance;
    push_edges<Weight>(
        mine.graph, out, entry.vertex,
        [&](VertexId v, Weight weight) {
          const auto distance = static_cast<Distance>(so_far + weight);
          if (distance >= load_shared(distances[v])) return;
          if (!lower_shared(distances[v], distance)) return;
          if (v >= mine.begin && v < mine.end) {
            mine.put(buckets, {distance, v});
          } else {
            send(buckets, v, distance);
          }
        },
        [locals = locals, so_far](int core, std::uint64_t hub) {
          delegate::async::call(core, RelaxFromHub<Weight, Distance>{locals, hub, so_far});
        });
  }
};

/// A locale's part of a round over a bucket; vertices may be in it again afterwards.
template <class Distance, class SendRelax>
void follow_bucket(const Locals<Distance>& locals, std::int64_t bucket, const SendRelax& send) {
  Local<Distance>& mine = *locals;
  mine.bucket = bucket;
  for (int core = 0; core < cores_per_locale(); ++core) {
    mine.current.of(core).clear();
    std::swap(mine.current.of(core),
              mine.window_bucket(mine.buckets[static_cast<std::size_t>(core)], bucket));
  }
  over_grains(mine.current.size(), tuning::kVertexGrain,
              FollowRange<Distance, SendRelax>{locals, send});
}

/// What is left on a locale.
template <class Distance>
Rest left_here(Local<Distance>& mine) {
  Rest rest{.too_long = mine.too_long, .cancelled = is_cancelled()};
  for (const Buckets<Distance>& of_core : mine.buckets) rest.relaxations += of_core.relaxations;
  rest.relaxations -= std::exchange(mine.relaxations, rest.relaxations);
  for (std::int64_t b = mine.bucket; b < mine.window_begin + tuning::kBuckets; ++b) {
    for (Buckets<Distance>& of_core : mine.buckets)
      rest.entries += std::ssize(mine.window_bucket(of_core, b));
    if (rest.entries == 0) continue;
    rest.bucket = b;
    return rest;
  }
  for (const Buckets<Distance>& of_core : mine.buckets) {
    for (const Entry<Distance>& entry : of_core.behind)
      rest.behind = std::min(rest.behind, mine.bucket_of(entry.distance));
  }
  return rest;
}

struct ShortRounds {
  std::int64_t count = 0;
  Rest rest;  // of all locales
};

/// A round over a bucket, and those after it while they are short, by supersteps. Run by one task
/// of each locale at the same time. What is left includes what turns out not to be shorter than
/// what the other locale has, so a round may have nothing to do.
template <class Distance>
ShortRounds follow_short_buckets(const Locals<Distance>& locals, const Exchange& exchange,
                                 std::int64_t bucket) {
  Local<Distance>& mine = *locals;
  return Exchange::supersteps([&] {
    ShortRounds rounds{.rest = {.bucket = bucket}};
    do {
      follow_bucket(locals, rounds.rest.bucket, RelaxAtEnd<Distance>{locals, exchange});
      ++rounds.count;
      Rest rest = left_here(mine);
      for (Buckets<Distance>& of_core : mine.buckets)
        rest = plus(rest, std::exchange(of_core.sent, {}));
      rounds.rest = exchange.end_superstep<Entry<Distance>>(
          rest,
          [&mine](std::span<const Entry<Distance>> entries) {
            for (const Entry<Distance>& entry : entries) {
              if (lower_shared(mine.distance[entry.vertex], entry.distance))
                mine.put(mine.buckets[core_in_locale()], entry);
            }
          },
          plus);
    } while (rounds.rest.bucket != kNoBucket && rounds.rest.is_short() && !rounds.rest.too_long &&
             !rounds.rest.cancelled);
    return rounds;
  });
}

}  // namespace grappa::graph::sssp_detail
