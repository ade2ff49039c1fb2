#pragma once

// What is suspended: a worker with its stack, or a coroutine. One word, kept by whoever will wake
// it.

#include <coroutine>
#include <cstdint>

namespace grappa::internal {

struct CompletionShare;
struct Worker;

/// A suspended coroutine, and the completion event that what it starts will join. Lies in the
/// coroutine's own frame, mostly, while it is suspended.
struct Resumption {
  std::coroutine_handle<> handle;
  CompletionShare* scope = nullptr;
};

/// A worker, a coroutine, or nobody. Belongs to one core.
class Suspended {
 public:
  Suspended() = default;
  Suspended(Worker* worker) : bits_(reinterpret_cast<std::uintptr_t>(worker)) {}
  explicit Suspended(const Resumption* coroutine)
      : bits_(reinterpret_cast<std::uintptr_t>(coroutine) | kCoroutine) {}

  explicit operator bool() const { return bits_ != 0; }
  bool is_coroutine() const { return (bits_ & kCoroutine) != 0; }

  /// What it was made from.
  Worker* worker() const { return reinterpret_cast<Worker*>(bits_); }
  const Resumption& coroutine() const {
    return *reinterpret_cast<const Resumption*>(bits_ & ~kCoroutine);
  }

 private:
  static constexpr std::uintptr_t kCoroutine = 1;
  std::uintptr_t bits_ = 0;
};

}  // namespace grappa::internal
