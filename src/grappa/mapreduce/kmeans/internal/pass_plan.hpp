#pragma once

// Whether the next pass of k-means computes all distances, or few of them and what that takes.
//
//   PassPlan plan(blocks, 100, locale_count());
//   while (move_centers()) {
//     const PassPlan::Pass pass = plan.next(false);
//     const std::int64_t searched = run(pass);
//     if (pass == PassPlan::Pass::kBounded) plan.note(searched);
//   }
//
// It decides by what the passes until now have taken, counted in distances from a block of points
// to a center: so it is the same each time.

#include <cstdint>

namespace grappa::mapreduce::detail {

class PassPlan {
 public:
  /// All distances; all, and bounds for the next pass; few.
  enum class Pass : std::uint8_t { kAll, kBegin, kBounded };

  /// Blocks of all locales.
  PassPlan(std::int64_t blocks, int k, int locales)
      : of_all_(static_cast<double>(blocks) * k),
        of_bounds_(static_cast<double>(blocks) * kOwn + static_cast<double>(k) * k * locales) {}

  Pass next(bool is_last) {
    if (has_bounds_) return Pass::kBounded;
    if (is_last || of_bounds_ >= of_all_ || pause_-- > 0) return Pass::kAll;
    has_bounds_ = true;
    return Pass::kBegin;
  }

  /// How many distances were searched in a pass with bounds.
  void note(std::int64_t distances) {
    if (of_bounds_ + kOfSearched * static_cast<double>(distances) < of_all_) return;
    has_bounds_ = false;
    pause_ = next_pause_;
    next_pause_ *= 2;
  }

 private:
  /// What a block takes in which nothing is searched: the distances from its points to their own
  /// centers, and the bounds.
  static constexpr int kOwn = 32;
  /// What a distance that is searched takes: neighbours are here and there in memory, and each
  /// block has others.
  static constexpr double kOfSearched = 2;

  const double of_all_;
  const double of_bounds_;  // of the blocks; and each center looks at all others, and sorts them
  bool has_bounds_ = false;
  std::int64_t pause_ = 0;
  std::int64_t next_pause_ = 1;
};

}  // namespace grappa::mapreduce::detail
