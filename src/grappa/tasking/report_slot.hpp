#pragma once

// How a core is asked to describe itself, and where it leaves the answer.
//
// What tasks a core has is its own business: nobody reads that while it changes. So whoever wants
// to know asks, and the core answers in its next pass. A core that does not get there (a task hogs
// it) is no longer asked.

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

namespace grappa::internal {

class ReportSlot {
 public:
  // ---- for the thread that asks ----

  void ask() { state_.store(kAsked, std::memory_order_seq_cst); }
  bool answered() const { return state_.load(std::memory_order_acquire) == kAnswered; }
  /// Takes the question back. False: too late, the answer is there or comes at once.
  bool withdraw() {
    std::uint32_t asked = kAsked;
    return state_.compare_exchange_strong(asked, kNothing);
  }
  /// The answer, once it is there.
  std::string take() {
    state_.store(kNothing, std::memory_order_relaxed);
    return std::move(text_);
  }

  // ---- for the core ----

  bool asked() const { return state_.load(std::memory_order_relaxed) == kAsked; }
  /// The same for a thread that has announced its sleep: it sees the question or is woken.
  bool asked_before_sleep() const { return state_.load(std::memory_order_seq_cst) == kAsked; }
  /// Leaves describe() there, unless the question was taken back.
  template <class Describe>
  void answer(const Describe& describe) {
    std::uint32_t asked = kAsked;
    if (!state_.compare_exchange_strong(asked, kAnswering)) return;
    text_ = describe();
    state_.store(kAnswered, std::memory_order_release);
  }

 private:
  static constexpr std::uint32_t kNothing = 0;
  static constexpr std::uint32_t kAsked = 1;
  static constexpr std::uint32_t kAnswering = 2;
  static constexpr std::uint32_t kAnswered = 3;

  std::atomic<std::uint32_t> state_{kNothing};
  std::string text_;  // for whoever is at it, by the state
};

}  // namespace grappa::internal
