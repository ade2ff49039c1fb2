#include "grappa/base/trace_ring.hpp"

#include <algorithm>

namespace grappa::internal {
namespace {

constexpr int kKindShift = 48;
constexpr int kActivityShift = 56;
constexpr std::uint64_t kMaxFirst = (std::uint64_t{1} << kKindShift) - 1;

std::uint64_t pack(const TraceEvent& event) {
  return std::min(event.first, kMaxFirst) | static_cast<std::uint64_t>(event.kind) << kKindShift |
         static_cast<std::uint64_t>(event.activity) << kActivityShift;
}

}  // namespace

TraceRing::TraceRing(std::size_t bytes)
    : memory_(Mapping::reserve({.bytes = bytes, .purpose = "the trace", .knob = "--trace-memory"})),
      size_(bytes / (kWords * sizeof(std::uint64_t))) {}

// A reader that sees a word of the new event (acquire) sees that it was begun, too, hence that the
// old one is gone.
void TraceRing::push(const TraceEvent& event) {
  const std::uint64_t number = pushed_.load(std::memory_order_relaxed);
  begun_.store(number + 1, std::memory_order_relaxed);
  word(number, 0).store(event.time_ns, std::memory_order_release);
  word(number, 1).store(event.name.bits(), std::memory_order_release);
  word(number, 2).store(pack(event), std::memory_order_release);
  word(number, 3).store(static_cast<std::uint64_t>(event.second), std::memory_order_release);
  pushed_.store(number + 1, std::memory_order_release);
  if (event.kind != TraceKind::kSpan) return;
  last_span_ = number;
  last_span_start_ = event.time_ns;
  last_span_end_ = event.time_ns + event.first;
  last_span_activity_ = event.activity;
  last_span_name_ = event.name;
}

void TraceRing::extend_last_span(std::uint64_t end_ns, std::int64_t messages) {
  const TraceEvent longer{.kind = TraceKind::kSpan,
                          .activity = last_span_activity_,
                          .name = last_span_name_,
                          .first = end_ns - last_span_start_};
  word(last_span_, 2).store(pack(longer), std::memory_order_release);
  const auto count = word(last_span_, 3);
  count.store(count.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(messages),
              std::memory_order_release);
  last_span_end_ = end_ns;
}

std::uint64_t TraceRing::read(std::vector<TraceEvent>& events) const {
  const std::uint64_t pushed = pushed_.load(std::memory_order_acquire);
  const std::uint64_t oldest = pushed > size_ ? pushed - size_ : 0;
  const std::size_t before = events.size();
  events.reserve(before + static_cast<std::size_t>(pushed - oldest));
  for (std::uint64_t number = oldest; number < pushed; ++number) {
    const auto load = [&](std::size_t i) {
      return word(number, i).load(std::memory_order_acquire);
    };
    const std::uint64_t packed = load(2);
    events.push_back({.time_ns = load(0),
                      .kind = static_cast<TraceKind>(packed >> kKindShift & 0xff),
                      .activity = static_cast<Activity>(packed >> kActivityShift),
                      .name = TraceName::of_bits(load(1)),
                      .first = packed & kMaxFirst,
                      .second = static_cast<std::int64_t>(load(3))});
  }
  // Those that were overwritten meanwhile are a mixture of two.
  const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
  const std::uint64_t gone = std::min(begun > size_ ? begun - size_ : 0, pushed);
  if (gone <= oldest) return oldest;
  const auto first = events.begin() + static_cast<std::ptrdiff_t>(before);
  events.erase(first, first + static_cast<std::ptrdiff_t>(gone - oldest));
  return gone;
}

}  // namespace grappa::internal
