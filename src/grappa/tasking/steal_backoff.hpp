#pragma once

// How often a core that has nothing to do looks at the queues of others: that slows them down, so
// less and less often while it finds nothing.

#include <algorithm>

namespace grappa::internal {

/// Used by one core.
class StealBackoff {
 public:
  static constexpr unsigned kMaxWait = 256;

  /// Counts a chance to steal. Returns whether to take it.
  bool is_time() {
    if (wait_ == 0) return true;
    --wait_;
    return false;
  }
  void failed() { wait_ = std::min(kMaxWait, ++failures_); }
  void succeeded() { failures_ = 0; }

  /// The core has had something to do.
  void reset() { wait_ = failures_ = 0; }

 private:
  unsigned wait_ = 0;  // chances to let pass
  unsigned failures_ = 0;
};

}  // namespace grappa::internal
