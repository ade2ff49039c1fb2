#pragma once

// Replica<T>: an array of which every locale has a whole copy.
//
//   auto bits = Replica<uint64_t>::create(words);
//   on_all_cores([=] { std::atomic_ref(bits.data()[w]).fetch_or(b); });    // the locale's copy
//   bits.merge([](uint64_t a, uint64_t b) { return a | b; });              // now all copies agree
//   bits.destroy();
//
// A locale's copy is written by its cores through std::atomic_ref, or in disjoint parts. merge (an
// all-reduce) and all_gather make the copies of the locales equal; on one locale they cost nothing.
// The object is a handle: trivially copyable. create, destroy, merge and all_gather are called by
// one task, switch tasks, and must not overlap with writes of other tasks. Elements are T{} at
// first. T must be trivially copyable. Debug builds refuse a handle that was never created or was
// destroyed (UsageError).

#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa {

namespace internal {

/// The k-th of `parts` nearly equal parts of [begin, end), cut at multiples of `unit`.
struct Slice {
  std::int64_t begin;
  std::int64_t end;
};
Slice slice_of(std::int64_t begin, std::int64_t end, std::int64_t k, std::int64_t parts,
               std::int64_t unit);

/// Throws UsageError unless the ranges, one of each locale, lie in [0, size) and do not overlap.
void require_ranges(const std::vector<Slice>& ranges, std::int64_t size, const CallSite& where);

struct ReplaceWith {
  template <class T>
  T operator()(const T&, const T& incoming) const {
    return incoming;
  }
};

/// Elements for another locale's copy, which follow the message.
template <class T, class Op>
struct ReplicaPartMessage {
  std::uint64_t offset;
  std::int64_t first;
  std::int64_t count;
  Op op;
  void operator()(RunContext& context) {
    const Core& me = context.core;
    T* mine =
        reinterpret_cast<T*>(me.memory_base + me.locale.memory->locale_offset() + offset) + first;
    const auto* theirs = reinterpret_cast<const std::byte*>(this + 1);
    for (std::int64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(static_cast<void*>(&value), theirs + i * static_cast<std::int64_t>(sizeof(T)),
                  sizeof(T));
      mine[i] = op(mine[i], value);
    }
  }
};

}  // namespace internal

/// A handle of an array that every locale has a copy of.
template <class T>
class Replica {
  static_assert(std::is_trivially_copyable_v<T>,
                "grappa: elements of a Replica are trivially copyable");

 public:
  Replica() = default;

  /// n elements T{} on every locale. Throws UsageError when one does not have memory for them.
  [[nodiscard("create returns the handle")]] static Replica create(
      std::int64_t n, internal::CallSite where = internal::CallSite::current()) {
    const Replica r = create_for_overwrite(n, where);
    r.fill(T{});
    return r;
  }

  /// As create, but the elements have no value yet, and take memory only when they are first
  /// written: near the core that writes them, and on each locale no more than are used. (Unless the
  /// memory of an earlier array is reused, see kept_ranges.hpp.)
  [[nodiscard("create returns the handle")]] static Replica create_for_overwrite(
      std::int64_t n, internal::CallSite where = internal::CallSite::current()) {
    Replica r;
    r.size_ = n;
    const std::uint64_t bytes = internal::round_up(
        std::max<std::uint64_t>(1, internal::bytes_of(n, sizeof(T), 1, "Replica", where)), 64);
    internal::require_on_locale(bytes, "Replica");
    const std::uint64_t alignment =
        bytes >= internal::huge_page_size() ? internal::huge_page_size() : 64;
    r.offset_ = internal::allocate_in(internal::Arena::kLocale, bytes, alignment, n);
    internal::prepare_in(internal::Arena::kLocale, r.offset_, bytes);
    return r;
  }

  void destroy() {
    internal::free_in(internal::Arena::kLocale, offset_);
    *this = Replica();
  }

  std::int64_t size() const { return size_; }
  /// Whether it was created, and not destroyed through this handle.
  explicit operator bool() const { return offset_ != 0; }

  /// This locale's copy.
  T* data() const {
    internal::require_range_if_checked(internal::Arena::kLocale, offset_,
                                       "an array or a Replica was used that was never created, or "
                                       "was destroyed");
    const internal::Core& me = internal::here();
    return reinterpret_cast<T*>(me.memory_base + me.locale.memory->locale_offset() + offset_);
  }
  std::span<T> span() const { return {data(), static_cast<std::size_t>(size_)}; }

  /// Sets every element of every copy.
  void fill(T value) const {
    const Replica r = *this;
    on_all_cores([r, value] {
      const internal::Locale& locale = internal::here().locale;
      const auto [begin, end] =
          internal::slice_of(0, r.size_, internal::here().index, locale.cores_each, kPerLine);
      std::fill(r.data() + begin, r.data() + end, value);
    });
  }

  /// Makes all copies equal: element i becomes op of element i of all copies. op must be
  /// associative and commutative.
  template <class Op>
  void merge(Op op) const {
    internal::require_closure<Op>();
    if (internal::here().locale.count == 1) return;
    const Replica r = *this;
    // Every core owns a slice: it collects the others' versions of it, then sends the result to
    // all.
    on_all_cores([r, op] {
      const internal::Locale& locale = internal::here().locale;
      for (int other = 0; other < locale.count; ++other) {
        if (other == locale.id) continue;
        const int owner = other * locale.cores_each + internal::here().index;
        const auto [begin, end] =
            internal::slice_of(0, r.size_, owner, locale.core_count(), kPerLine);
        r.send_part(owner, begin, end, op);
      }
    });
    on_all_cores([r] {
      const auto [begin, end] = internal::slice_of(0, r.size_, internal::here().id,
                                                   internal::here().locale.core_count(), kPerLine);
      r.send_to_others(begin, end);
    });
  }

  /// Makes all copies equal: elements [begin, end) come from the copy of the locale for which
  /// range(locale) returns {begin, end}. UsageError for ranges that overlap or lie elsewhere.
  template <class Range>
  void all_gather(Range range, internal::CallSite where = internal::CallSite::current()) const {
    internal::require_closure<Range>();
    std::vector<internal::Slice> ranges;
    for (int locale = 0; locale < internal::here().locale.count; ++locale) {
      const auto [first, last] = range(locale);
      ranges.push_back({first, last});
    }
    internal::require_ranges(ranges, size_, where);
    if (ranges.size() == 1) return;
    const Replica r = *this;
    on_all_cores([r, range] {
      const internal::Locale& locale = internal::here().locale;
      const auto [first, last] = range(locale.id);
      const auto [begin, end] =
          internal::slice_of(first, last, internal::here().index, locale.cores_each, 1);
      r.send_to_others(begin, end);
    });
  }

 private:
  // Elements that fill whole cache lines.
  static constexpr std::int64_t kPerLine = 64 / std::gcd<std::int64_t>(64, sizeof(T));

  template <class Op>
  void send_part(int core, std::int64_t begin, std::int64_t end, Op op) const {
    using Message = internal::ReplicaPartMessage<T, Op>;
    internal::Aggregator& messages = *internal::here().messages;
    const auto most = static_cast<std::int64_t>(messages.largest_tail<Message>() / sizeof(T));
    for (std::int64_t at = begin; at < end; at += most) {
      const std::int64_t count = std::min(most, end - at);
      messages.send_with_tail(core, Message{offset_, at, count, op}, data() + at,
                              static_cast<std::size_t>(count) * sizeof(T),
                              internal::enclosing_scope());
    }
  }

  void send_to_others(std::int64_t begin, std::int64_t end) const {
    const internal::Locale& locale = internal::here().locale;
    for (int step = 1; step < locale.count; ++step) {
      // Everybody starts with the next locale, so that they do not all send to the first at once.
      const int other = (locale.id + step) % locale.count;
      send_part(other * locale.cores_each + internal::here().index, begin, end,
                internal::ReplaceWith{});
    }
  }

  std::uint64_t offset_ = 0;
  std::int64_t size_ = 0;
};

}  // namespace grappa
