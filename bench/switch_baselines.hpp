#pragma once

// What `bench context-switch` compares with: other ways for one processor to go round many
// contexts.
//
//   BareRing ring(config, order);                 // the same assembly switch and the same stacks
//   const double ns = ring.trial(rounds, 0);      // a switch, without prefetch
//
// `order` has the numbers of the contexts, in the order in which they take their turns; their
// stacks lie in memory by number. All of them run on the calling thread's processor, check that
// every context has had its turns (Error), and return nanoseconds a switch. None may be called
// inside a run.

#include <semaphore.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "grappa/base/config.hpp"
#include "grappa/context/stack_pool.hpp"
#include "grappa/context/switch.hpp"

namespace grappa::bench {

using SwitchOrder = std::vector<std::uint32_t>;

/// A loop over a ring of saved stack pointers: no queue, no scheduler. Of two contexts or more.
class BareRing {
 public:
  BareRing(const Config& config, const SwitchOrder& order);
  ~BareRing();
  BareRing(const BareRing&) = delete;
  BareRing& operator=(const BareRing&) = delete;

  /// With a distance, each switch prefetches the two top lines of the stack that is so many
  /// switches ahead, as the runtime's ready queue does.
  double trial(std::int64_t rounds, std::size_t prefetch_distance);

 private:
  /// As the contexts see it.
  struct Ring {
    std::vector<void*> stack_pointers;
    std::size_t current = 0;
    std::int64_t turns = 0;
    std::int64_t limit = 0;
    std::size_t distance = 0;
    void* main = nullptr;
  };

  template <bool kPrefetch>
  [[noreturn]] static void entry(void* ring);
  void make_contexts(void (*start)(void*));
  void go_round(std::int64_t turns);

  internal::StackPool pool_;
  std::vector<internal::Stack> stacks_;
  std::vector<internal::Context> contexts_;
  SwitchOrder order_;
  Ring ring_;
};

/// Threads of the operating system, each of which wakes the next one through its semaphore and then
/// waits for its own.
class ThreadRing {
 public:
  static constexpr std::int64_t kMax = 8000;

  /// Throws Error when the system has no more threads.
  explicit ThreadRing(const SwitchOrder& order);
  ~ThreadRing();
  ThreadRing(const ThreadRing&) = delete;
  ThreadRing& operator=(const ThreadRing&) = delete;

  double trial(std::int64_t rounds);

 private:
  struct alignas(64) Member {
    sem_t turn;
    Member* next = nullptr;
    ThreadRing* ring = nullptr;
    pthread_t thread{};
  };

  static void* entry(void* member);
  void stop(std::size_t started);

  std::unique_ptr<Member[]> members_;
  std::size_t count_;
  Member* first_ = nullptr;
  sem_t finished_;
  // Whoever has the turn owns these; the semaphores order the owners.
  std::int64_t turns_ = 0;
  std::int64_t limit_ = 0;
  bool stopping_ = false;
};

/// Fibers of Boost.Fiber that yield, on stacks like ours.
class FiberRing {
 public:
  /// Whether this build has Boost.Fiber.
  static bool available();

  FiberRing(const Config& config, const SwitchOrder& order);
  ~FiberRing();
  FiberRing(const FiberRing&) = delete;
  FiberRing& operator=(const FiberRing&) = delete;

  double trial(std::int64_t rounds);

 private:
  internal::StackPool pool_;
  std::vector<internal::Stack> stacks_;  // in the order of their turns
};

}  // namespace grappa::bench
