#pragma once

// The last events of a core, for a timeline (trace_file.hpp).
//
//   TraceRing ring(16 << 20);                       // bytes
//   ring.push({.time_ns = now_ns(), .kind = TraceKind::kMark, .name = "level", .second = 3});
//   std::vector<TraceEvent> events;
//   std::uint64_t lost = ring.read(events);         // how many older ones there were
//
// The oldest events are overwritten. Thread safety: one thread writes; any may read at any time,
// and gets the events that were whole then.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <typeinfo>
#include <vector>

#include "grappa/base/activity_clock.hpp"
#include "grappa/base/huge_pages.hpp"

namespace grappa::internal {

/// A text of static storage duration, or a type.
class TraceName {
 public:
  constexpr TraceName() = default;
  TraceName(const char* text) : bits_(reinterpret_cast<std::uintptr_t>(text)) {}
  TraceName(const std::type_info* type)
      : bits_(type == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(type) | kIsType) {}
  static TraceName of_bits(std::uint64_t bits) {
    TraceName name;
    name.bits_ = bits;
    return name;
  }

  std::uint64_t bits() const { return bits_; }
  bool empty() const { return bits_ == 0; }
  /// Null where it is the other.
  const std::type_info* type() const {
    return (bits_ & kIsType) != 0 ? reinterpret_cast<const std::type_info*>(bits_ & ~kIsType)
                                  : nullptr;
  }
  const char* text() const {
    return (bits_ & kIsType) != 0 ? nullptr : reinterpret_cast<const char*>(bits_);
  }
  bool operator==(const TraceName&) const = default;

 private:
  static constexpr std::uint64_t kIsType = std::uint64_t{1} << 63;  // no address in user space
  std::uint64_t bits_ = 0;
};

enum class TraceKind : std::uint8_t {
  kSpan,      // of one activity; first: nanoseconds, second: messages
  kFlush,     // first: destination, second: bytes
  kSteal,     // first: from which core, second: tasks, or units of a loop
  kMark,      // second: the program's number
  kCounters,  // name: tasks << 32 | suspended ones, first: messages, second: bytes, since the start
};

struct TraceEvent {
  std::uint64_t time_ns = 0;
  TraceKind kind = TraceKind::kSpan;
  Activity activity = Activity::kProgram;
  TraceName name;
  std::uint64_t first = 0;  // below 2^48
  std::int64_t second = 0;
};

class TraceRing {
 public:
  explicit TraceRing(std::size_t bytes);

  void push(const TraceEvent& event);

  /// The last span that was pushed, if it is still there:
  bool last_span_ends_at(std::uint64_t time_ns) const {
    return last_span_end_ == time_ns &&
           pushed_.load(std::memory_order_relaxed) - last_span_ < size_;
  }
  bool last_span_is(Activity activity, TraceName name) const {
    return last_span_activity_ == activity && last_span_name_ == name;
  }
  void extend_last_span(std::uint64_t end_ns, std::int64_t messages);

  /// Appends the events, the oldest first; returns how many have been overwritten.
  std::uint64_t read(std::vector<TraceEvent>& events) const;
  std::uint64_t lost() const {
    const std::uint64_t pushed = pushed_.load(std::memory_order_relaxed);
    return pushed > size_ ? pushed - size_ : 0;
  }

 private:
  static constexpr std::size_t kWords = 4;
  std::atomic_ref<std::uint64_t> word(std::uint64_t number, std::size_t i) const {
    return std::atomic_ref(
        reinterpret_cast<std::uint64_t*>(memory_.data())[number % size_ * kWords + i]);
  }

  Mapping memory_;
  const std::uint64_t size_;  // events
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> pushed_{0};
  std::uint64_t last_span_ = 0;
  std::uint64_t last_span_start_ = 0;
  std::uint64_t last_span_end_ = UINT64_MAX;
  Activity last_span_activity_ = Activity::kProgram;
  TraceName last_span_name_;
};

}  // namespace grappa::internal
