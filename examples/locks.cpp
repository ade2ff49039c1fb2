// Tasks of one core that take turns: mutex, semaphore and condition variable.

#include <grappa/grappa.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <mutex>

using namespace grappa;

constexpr int kTransfers = 500;

int main() {
  bool right = true;
  run([&] {
    const GlobalAddress<std::int64_t> accounts = global_alloc<std::int64_t>(20);
    const GlobalAddress<std::int64_t> from = accounts;
    const GlobalAddress<std::int64_t> to = accounts + 10;
    delegate::write(from, kTransfers);

    Mutex mutex;
    Semaphore room(8);  // at most so many transfers are under way
    ConditionVariable changed;
    int under_way = 0;
    int most = 0;
    int done = 0;
    for (int i = 0; i < kTransfers; ++i) {
      // Tasks of this core live in the same memory, so they may refer to this stack.
      spawn([&] {
        room.acquire();
        most = std::max(most, ++under_way);
        {
          // Four delegates that must look like one step: other tasks run while they wait.
          const std::lock_guard guard(mutex);
          delegate::write(from, delegate::read(from) - 1);
          delegate::write(to, delegate::read(to) + 1);
        }
        --under_way;
        room.release();
        ++done;
        changed.notify_one();
      });
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done == kTransfers; });

    right = delegate::read(from) == 0 && delegate::read(to) == kTransfers && most <= 8;
    std::printf("%d transfers: %s\n", kTransfers, right ? "the books balance" : "WRONG");
    global_free(accounts);
  });
  return right ? 0 : 1;
}
