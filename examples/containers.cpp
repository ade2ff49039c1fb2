// Containers that all cores use at once, and whose requests combine.

#include <cstdint>
#include <cstdio>
#include <optional>

#include "grappa/grappa.hpp"

using namespace grappa;

constexpr std::int64_t kTickets = 10'000;

int main() {
  bool right = true;
  run([&] {
    const Owned<GlobalQueue<std::int64_t>> queue = GlobalQueue<std::int64_t>::create();
    const Owned<GlobalVector<std::int64_t>> primes = GlobalVector<std::int64_t>::create();
    const Owned<CountingMap<std::int64_t>> endings = CountingMap<std::int64_t>::create();

    CompletionEvent workers;
    for (int w = 0; w < 8 * core_count(); ++w) {
      spawn_on(workers, w % core_count(), [queue = *queue, primes = *primes, endings = *endings] {
        while (const std::optional<std::int64_t> n = queue.dequeue()) {  // until it is closed
          bool prime = *n > 1;
          for (std::int64_t d = 2; d * d <= *n; ++d) prime = prime && *n % d != 0;
          if (!prime) continue;
          primes.async_push(*n);
          endings.async_add(*n % 10);
        }
      });
    }
    forall(kTickets, [queue = *queue](std::int64_t n) { queue.enqueue(n); });
    queue->close();
    workers.wait();

    primes->sort();
    const std::int64_t count = primes->size();
    const std::int64_t last = delegate::read((*primes)[count - 1]);
    std::printf("%lld primes, the last one is %lld\n", static_cast<long long>(count),
                static_cast<long long>(last));
    for (const auto& [digit, times] : endings->top_k(4))
      std::printf("%lld of them end in %lld\n", static_cast<long long>(times),
                  static_cast<long long>(digit));
    right = count == 1229 && last == 9973 && endings->total() == count;
  });
  return right ? 0 : 1;
}
