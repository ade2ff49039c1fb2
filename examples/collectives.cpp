// Lists primes in order: every core finds its own, a prefix sum tells it where they go.

#include <grappa/grappa.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

using namespace grappa;

constexpr std::int64_t kLimit = 10'000;

bool is_prime(std::int64_t n) {
  for (std::int64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n >= 2;
}

int main() {
  bool right = true;
  run([&] {
    auto primes = GlobalArray<std::int64_t>::create(kLimit);
    const auto found = symmetric_alloc<std::int64_t>();

    // SPMD: the same task on every core; collectives inside are called by all of them.
    on_all_cores([=] {
      const std::int64_t begin = kLimit * this_core() / core_count();
      const std::int64_t end = kLimit * (this_core() + 1) / core_count();
      std::vector<std::int64_t> mine;
      for (std::int64_t n = begin; n < end; ++n) {
        if (is_prime(n)) mine.push_back(n);
      }
      const auto count = std::ssize(mine);
      const std::int64_t before = exclusive_scan(count, std::plus<>{}, std::ptrdiff_t{0});
      std::vector<std::int64_t> places;
      for (std::int64_t k = 0; k < count; ++k) places.push_back(before + k);
      primes.scatter(places, mine);
      found.local() = all_reduce(count, std::plus<>{});
    });

    // Control style: one task asks all cores.
    const std::int64_t least = reduce_cores([=] { return found.local(); }, kLimit,
                                            [](auto a, auto b) { return std::min(a, b); });
    const std::int64_t last = delegate::read(primes[least - 1]);
    std::printf("%lld primes below %lld, the last one is %lld\n", static_cast<long long>(least),
                static_cast<long long>(kLimit), static_cast<long long>(last));
    right = least == 1229 && last == 9973 && delegate::read(primes[0]) == 2;
    symmetric_free(found);
    primes.destroy();
  });
  return right ? 0 : 1;
}
