#pragma once

// How far a statement has come: for whoever waits for it.
//
//   progress.begin(Progress::kScanning, rows);        // the task that executes it
//   progress.done += batch.rows;                      // all cores
//   use(progress.step, progress.fraction());          // any thread, at any moment
//
// Only what one locale has of it.

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace grappa::query {

struct Progress {
  enum Step : std::uint8_t { kLoading, kScanning };

  std::atomic<Step> step{kLoading};
  std::atomic<std::int64_t> done{0};
  std::atomic<std::int64_t> all{0};  // 0: not known

  void begin(Step next, std::int64_t of_it) {
    step = next;
    done = 0;
    all = of_it;
  }
  /// 0 … 1; negative where it is not known. What is scanned again, as in each round of a recursion,
  /// counts again.
  double fraction() const {
    const std::int64_t most = all;
    return most == 0 ? -1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(most));
  }
};

}  // namespace grappa::query
