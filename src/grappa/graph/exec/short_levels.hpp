#pragma once

// Levels of a search on several locales that are so short that starting and ending them takes
// longer than their work, as in grids and road maps. The locales go through a run of them in
// supersteps, without a leader that starts and ends each. The size of a frontier on all locales is
// known only when it has been followed, so the search ends one level late. A locale with a long
// part does not follow it, and ends the run: what is sent at the end of a step has to stay in
// memory until then.

#include <cstdint>
#include <utility>

#include "grappa/base/metrics.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/exchange.hpp"

namespace grappa::graph {

inline const metrics::Counter kSuperstepLevels{"graph.superstep_levels",
                                               "levels that locales found by supersteps"};
inline const metrics::Counter kCutRuns{"graph.cut_runs",
                                       "runs of such levels that a long one has ended"};

/// The lengths of the last two levels, in out-edges on all locales.
struct LevelArcs {
  std::int64_t before = 0;
  std::int64_t last = 0;

  void next(std::int64_t arcs) { before = std::exchange(last, arcs); }

  /// Whether the next levels are likely to be short, too. In graphs of small diameter levels grow
  /// faster than this.
  bool stay_short() const {
    return locale_count() > 1 && last <= tuning::kShortArcs * locale_count() &&
           last <= tuning::kShortGrowth * before;
  }
};

/// Whether a locale has too much of a frontier to follow it in a superstep.
inline bool is_long_part(std::int64_t arcs) { return arcs > tuning::kLongArcs; }

/// What a run of short levels found. `Level` has the members `vertices` and `arcs`, and + adds
/// two.
template <class Level>
struct ShortLevels {
  LevelArcs lengths;
  std::int64_t followed_arcs = 0;
  std::int64_t found_levels = 0;  // but for the last, and without an empty one
  Level found;                    // in these, on all locales
  Level last;                     // in the last one, on this locale
  /// The last level is not followed on locales that have a long part of it; on the others it is,
  /// and the level after it is not ended.
  bool is_cut = false;
};

/// Follows the frontier, of which this locale has `mine`, and those after it, while they stay
/// short, `stops(level)` is false, and the kernel is not cancelled. Run by one task of each locale
/// at the same time. follow() sends items to other locales for the end of the step; take(items)
/// adds those that came to the level being found; end_level() makes that level the frontier, and
/// returns this locale's part.
template <class Item, class Level, class Follow, class Take, class EndLevel, class Stops>
ShortLevels<Level> find_short_levels(const Exchange& exchange, const LevelArcs& lengths,
                                     const Level& mine, Follow follow, Take take,
                                     EndLevel end_level, Stops stops) {
  struct Frontier {
    Level level;
    bool is_long;
    bool is_cancelled;
  };
  const auto sum = [](const Frontier& a, const Frontier& b) {
    return Frontier{a.level + b.level, a.is_long || b.is_long, a.is_cancelled || b.is_cancelled};
  };
  const ShortLevels<Level> all = Exchange::supersteps([&] {
    ShortLevels<Level> run{.lengths = lengths, .found = {}, .last = mine};
    for (bool is_first = true;; is_first = false) {
      const bool is_long = is_long_part(run.last.arcs);
      if (!is_long) follow();
      const auto frontier =
          exchange.end_superstep<Item>(Frontier{run.last, is_long, is_cancelled()}, take, sum);
      const Level& level = frontier.level;
      run.followed_arcs += level.arcs;
      if (!is_first) {  // else it was known before
        run.lengths.next(level.arcs);
        run.found = run.found + level;
        run.found_levels += level.vertices > 0;
        if (level.vertices > 0 && this_core() == 0) trace_mark("short level", run.found_levels);
      }
      run.is_cut = frontier.is_long;
      if (run.is_cut) return run;
      run.last = end_level();
      if (is_first) continue;
      if (level.vertices == 0 || stops(level) || !run.lengths.stay_short() || frontier.is_cancelled)
        return run;
    }
  });
  if (this_core() == 0) {
    kSuperstepLevels.add(static_cast<std::uint64_t>(all.found_levels));
    kCutRuns.add(all.is_cut ? 1 : 0);
  }
  return all;
}

}  // namespace grappa::graph
