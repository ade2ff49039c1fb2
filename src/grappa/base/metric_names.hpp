#pragma once

// The names of all metrics of the process and the slots they were given. Internal to the base
// layer: programs use metrics.hpp.
//
//   MetricNames names;
//   names.add("message.sent", "messages appended", MetricKind::kCounter);   // 0
//
// Thread safety: all members may be called from any thread.

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/base/metrics.hpp"

namespace grappa::internal {

class MetricNames {
 public:
  struct Entry {
    std::string name;
    std::string help;
    MetricKind kind;
    int slot;  // the first one
  };

  /// The table that Counter, Peak and Histogram use; made on first use, never destroyed, so that
  /// objects of any translation unit may register and be read at any time.
  static MetricNames& global();

  /// The first slot of this metric. The same name and kind again gives the same slot. Throws
  /// UsageError for an empty name, a name with another kind, and when the slots are used up.
  int add(std::string_view name, std::string_view help, MetricKind kind);

  /// Slots that have been given out, from 0 on.
  int slot_count() const;

  /// All entries by name.
  std::vector<Entry> sorted() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  int next_slot_ = 0;
};

}  // namespace grappa::internal
