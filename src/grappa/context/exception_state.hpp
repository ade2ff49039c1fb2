#pragma once

// The C++ exception state of a thread, as a value: what a task that suspends inside a catch block,
// or in a destructor during unwinding, must take along.
//
//   ExceptionState& live = ExceptionState::of_this_thread();     // once a thread; then cached
//   ExceptionState kept;
//   const bool handling = !ExceptionState::idle(live);           // nearly always false
//   if (handling) kept = ExceptionState::take(live);
//   switch_context(from, to);
//   if (handling) ExceptionState::restore(live, kept);
//
// The C++ runtime keeps, for each thread, the stack of the exceptions being handled and the number
// of those in flight (__cxa_get_globals of the Itanium ABI); `throw;`, std::current_exception and
// std::uncaught_exceptions read them. For the thread that owns the state only. Nothing suspends.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace grappa::internal {

struct ExceptionState {
  void* caught = nullptr;  // innermost exception being handled; the others are linked behind it
  unsigned uncaught = 0;   // exceptions thrown and not caught yet

  /// The live state of the calling thread; valid as long as the thread.
  static ExceptionState& of_this_thread() noexcept;

  /// Whether no exception is being handled or in flight. Every switch asks, so it is one load: of
  /// the pointer without its lowest 16 bits (an object's address has higher ones, too) and of the
  /// lowest 16 bits of the number.
  static bool idle(const ExceptionState& live) noexcept {
    std::uint64_t both;
    std::memcpy(&both, reinterpret_cast<const char*>(&live) + kIdleOffset, sizeof both);
    return both == 0;
  }

  /// A state that is never idle, for those who need one.
  static const ExceptionState kBusy;

  /// Moves the state out, and leaves an idle one for whoever runs next.
  static ExceptionState take(ExceptionState& live) noexcept {
    const ExceptionState kept = live;
    live = ExceptionState{};
    return kept;
  }

  /// Puts a state back. The live one must be idle, or what it held is lost.
  static void restore(ExceptionState& live, const ExceptionState& kept) noexcept { live = kept; }

 private:
  static constexpr std::size_t kIdleOffset = 2;
};
static_assert(std::endian::native == std::endian::little);
static_assert(offsetof(ExceptionState, uncaught) == sizeof(void*));

inline constexpr ExceptionState ExceptionState::kBusy{nullptr, 1};

}  // namespace grappa::internal
