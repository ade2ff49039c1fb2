#pragma once

// Levels of a search on several locales that are so short that beginning and ending them takes
// longer than their work, as in grids and road maps. The locales go through a run of them by
// supersteps, without coming together at one that leads. How large a frontier is on all locales is
// only known when it has been followed; so the search ends a level late. A locale that has a long
// part does not follow it, and ends the run: what would be sent at the end of a step has to lie in
// memory until then.

#include <cstdint>
#include <utility>

#include "grappa/graph/distributed/supersteps.hpp"
#include "grappa/graph/locales.hpp"

namespace grappa::graph {

/// How long the last two levels were, in out-edges on all locales.
struct LevelArcs {
  std::int64_t before = 0;
  std::int64_t last = 0;

  void next(std::int64_t arcs) { before = std::exchange(last, arcs); }

  /// Whether the levels after these are likely to be short, too. Where few steps lead from one
  /// vertex to most others, levels grow faster than this.
  bool stay_short() const {
    constexpr std::int64_t kShort = std::int64_t{1} << 15;  // a locale
    constexpr std::int64_t kGrowth = 4;
    return locale_count() > 1 && last <= kShort * locale_count() && last <= kGrowth * before;
  }
};

/// Whether a locale has too much of a frontier to follow it in a superstep.
inline bool is_long_part(std::int64_t arcs) {
  constexpr std::int64_t kLong = std::int64_t{1} << 16;
  return arcs > kLong;
}

/// What a run of short levels found. `Level` has the numbers `vertices` and `arcs`, and plus(a, b)
/// of two is their sum.
template <class Level>
struct ShortLevels {
  LevelArcs lengths;
  std::int64_t followed_arcs = 0;
  std::int64_t found_levels = 0;  // but for the last, and without an empty one
  Level found;                    // in these, on all locales
  Level last;                     // in the last one, on this locale
  // The last one is not followed where is_long_part() of it, elsewhere it is, and the level that
  // comes after it not ended.
  bool is_cut = false;
};

/// Follows the frontier, of which this locale has `mine`, and those after it while they stay short
/// and `stops(level)` of none is true. Run by one task of each locale at the same time. follow()
/// sends items to other locales for the end of the step; take(items) adds what came of theirs to
/// the level being found; end_level() makes that the frontier, and returns this locale's part.
template <class Item, class Level, class Follow, class Take, class EndLevel, class Stops>
ShortLevels<Level> find_short_levels(const Supersteps& steps, const LevelArcs& lengths,
                                     const Level& mine, Follow follow, Take take,
                                     EndLevel end_level, Stops stops) {
  struct Frontier {
    Level level;
    bool is_long;
  };
  const auto sum = [](const Frontier& a, const Frontier& b) {
    return Frontier{plus(a.level, b.level), a.is_long || b.is_long};
  };
  return Supersteps::run([&] {
    ShortLevels<Level> run{.lengths = lengths, .found = {}, .last = mine};
    for (bool is_first = true;; is_first = false) {
      const bool is_long = is_long_part(run.last.arcs);
      if (!is_long) follow();
      const auto frontier = steps.exchange<Item>(Frontier{run.last, is_long}, take, sum);
      const Level& level = frontier.level;
      run.followed_arcs += level.arcs;
      if (!is_first) {  // else it was known before
        run.lengths.next(level.arcs);
        run.found = plus(run.found, level);
        run.found_levels += level.vertices > 0;
      }
      run.is_cut = frontier.is_long;
      if (run.is_cut) return run;
      run.last = end_level();
      if (is_first) continue;
      if (level.vertices == 0 || stops(level) || !run.lengths.stay_short()) return run;
    }
  });
}

}  // namespace grappa::graph
