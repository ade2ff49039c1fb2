// Delta-stepping [1]: tentative distances fall into buckets of width delta, which are emptied in
// ascending order; a bucket is emptied in rounds, as vertices in it may improve each other. Within
// a locale it follows the GAP benchmark suite [2]: each core has buckets of its own for what it
// finds, and edges are not divided into light and heavy ones.
//
// An entry of a bucket is a vertex with the distance that put it there. It is skipped when the
// vertex has a smaller one by then, so no distance of a vertex is followed twice.
//
// Buckets are a window over the line of distances; what lies beyond it waits in a list until the
// window has been emptied. Distances are 32-bit integers if weights are integers and as long as
// paths stay short enough; else doubles.
//
// Every locale has a distance for each vertex: for its own vertices the tentative distance, for
// others the least that it has sent there. So it sends a vertex a distance only if that is smaller
// than all before. While rounds are short, the locales exchange them in supersteps.
//
// [1] U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of
//     Algorithms 49, 2003.
// [2] S. Beamer, K. Asanovic, D. Patterson, "The GAP benchmark suite", arXiv:1508.03619, 2015.
#include "grappa/graph/algorithms/sssp/sssp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/metrics.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/algorithms/sssp/internal/sssp_overflow.hpp"
#include "grappa/graph/algorithms/sssp/internal/sssp_rounds.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

using namespace sssp_detail;

const metrics::Counter kSuperstepRounds{"graph.superstep_rounds",
                                        "rounds of shortest paths that went by supersteps"};

/// What was reached on a core.
struct Reached {
  std::int64_t vertices = 0;
  double farthest = 0;
  std::int64_t relaxations = 0;
};

template <class Distance>
class Search {
 public:
  Search(const Graph& graph, VertexId source, double delta) : graph_(graph), delta_(delta) {
    create();
    delegate::call(graph_.home(source), [locals = *locals_, source] {
      Local<Distance>& mine = *locals;
      mine.distance[source] = 0;
      mine.put(mine.buckets[core_in_locale()], {0, source});
    });
  }

  /// False if a path was too long for Distance.
  bool run() {
    Rest rest{.bucket = 0, .entries = 1};
    while (rest.bucket != kNoBucket) {
      rest = follow(rest);
      if (rest.too_long) return false;
      if (rest.bucket == kNoBucket && rest.behind != kNoBucket) {
        rest.bucket = rest.behind;
        move_window(rest.bucket);
      }
    }
    return true;
  }

  SsspResult result() {
    SsspResult result;
    result.delta = delta_;
    result.rounds = rounds_;
    result.distance = graph_.make_vertex_array_for_overwrite<double>();
    const Reached all =
        reduce_cores([distance = *result.distance,
                      locals = *locals_] { return copy_distances(distance.local(), *locals); },
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
    distance_->fill(kUnreachedAt<Distance>);
    locals_ = Locals<Distance>::create();
    exchange_ = Exchange::create();
    const double greatest = graph_.weight_range().greatest;
    on_each_locale(
        [graph = graph_, distance = *distance_, locals = *locals_, delta = delta_, greatest] {
          Local<Distance>& mine = *locals;
          mine.graph = graph;
          mine.out = graph.out();
          mine.begin = graph.locale_begin();
          mine.end = graph.locale_end();
          mine.distance = distance.data();
          mine.buckets_a_unit = 1 / delta;
          mine.safe_distance = std::is_same_v<Distance, double>
                                   ? std::numeric_limits<double>::infinity()
                                   : static_cast<double>(kUnreachedAt<Distance>) - greatest;
        });
  }

  /// A round, or several short ones. Returns what is left.
  Rest follow(const Rest& rest) {
    mark_round("round", rounds_ + 1);
    short_in_a_row_ = rest.is_short() ? short_in_a_row_ + 1 : 0;
    if (short_in_a_row_ > tuning::kShortInARow && locale_count() > 1 && graph_.hubs().empty()) {
      const ShortRounds rounds =
          gather_locales([locals = *locals_, exchange = *exchange_, bucket = rest.bucket] {
            return follow_short_buckets(locals, exchange, bucket);
          }).front();
      rounds_ += rounds.count;
      kSuperstepRounds.add(static_cast<std::uint64_t>(rounds.count));
      return rounds.rest;
    }
    ++rounds_;
    on_each_locale([locals = *locals_, bucket = rest.bucket] {
      follow_bucket(locals, bucket, RelaxNow<Distance>{locals});
    });
    return reduce_locales([locals = *locals_] { return left_here(*locals); }, plus);
  }

  void move_window(std::int64_t begin) {
    on_all_cores([locals = *locals_, begin] {
      Local<Distance>& mine = *locals;
      if (core_in_locale() == 0) mine.window_begin = begin;
    });
    on_all_cores([locals = *locals_] {
      Local<Distance>& mine = *locals;
      Buckets<Distance>& of_core = mine.buckets[core_in_locale()];
      for (const Entry<Distance>& entry : std::exchange(of_core.behind, {})) {
        if (entry.distance == mine.distance[entry.vertex]) mine.put(of_core, entry);
      }
    });
  }

  /// Of this core's vertices.
  static Reached copy_distances(std::span<double> to, const Local<Distance>& local) {
    Reached reached;
    reached.relaxations = local.buckets[core_in_locale()].relaxations;
    auto at = to.begin();
    for (std::int64_t v = local.graph.core_begin(); v < local.graph.core_end(); ++v) {
      const Distance d = local.distance[v];
      const bool is_reached = d != kUnreachedAt<Distance>;
      *at = is_reached ? static_cast<double>(d) : kUnreachedAt<double>;
      reached.vertices += is_reached;
      if (is_reached) reached.farthest = std::max(reached.farthest, *at);
      ++at;
    }
    return reached;
  }

  const Graph graph_;
  const double delta_;
  std::int64_t rounds_ = 0;
  std::int64_t short_in_a_row_ = 0;
  Owned<Replica<Distance>> distance_;
  Owned<Locals<Distance>> locals_;
  Owned<Exchange> exchange_;
};

/// Nothing if a path was too long for Distance.
template <class Distance>
std::optional<SsspResult> search_by(const Graph& graph, VertexId source, double delta) {
  Search<Distance> search(graph, source, delta);
  if (!search.run()) return std::nullopt;
  return search.result();
}

/// For uniform weights, Meyer and Sanders make a bucket as wide as the greatest weight divided by
/// the mean degree, so that within it a vertex leads to about one other. Wider buckets need fewer
/// rounds and relax more edges in vain. A quarter of that width was the best of eight on kron:20
/// and urand:20; on a grid a sixteenth to an eighth was, by a little.
double chosen_delta(const Graph& graph) {
  const double vertices = static_cast<double>(std::max<std::int64_t>(1, graph.vertex_count()));
  const double degree = std::max(1.0, static_cast<double>(graph.arc_count()) / vertices);
  const double delta = graph.weight_range().greatest / degree / 4;
  return delta > 0 && std::isfinite(delta) && std::isfinite(1 / delta) ? delta : 1;
}

}  // namespace

double checked_delta(const Graph& graph, VertexId source, const SsspOptions& options) {
  graph.require_vertex("sssp", source);
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
  graph.require_live("sssp");
  const double delta = checked_delta(graph, source, options);
  std::optional<SsspResult> result;
  if (graph.weight_type() != WeightType::kDouble)
    result = search_by<std::uint32_t>(graph, source, delta);
  if (!result) result = search_by<double>(graph, source, delta);
  check_path_lengths(graph, *result->distance, result->farthest);
  return *std::move(result);
}

}  // namespace grappa::graph
