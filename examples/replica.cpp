// A small result that everybody updates: one copy a locale, merged at the end.

#include <grappa/grappa.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>

using namespace grappa;

constexpr std::int64_t kValues = 1'000'000;
constexpr std::int64_t kBuckets = 8;

int main() {
  bool right = true;
  run([&] {
    auto histogram = Replica<std::int64_t>::create(kBuckets);
    forall(kValues, [=](std::int64_t i) {
      const std::uint64_t value = hash_number(static_cast<std::uint64_t>(i));
      std::int64_t& bucket = histogram.data()[value % kBuckets];  // this locale's copy
      std::atomic_ref(bucket).fetch_add(1, std::memory_order_relaxed);
    });
    histogram.merge(std::plus<>{});  // now all copies hold the sums
    std::int64_t counted = 0;
    for (const std::int64_t n : histogram.span()) {
      std::printf("%lld\n", static_cast<long long>(n));
      counted += n;
    }
    histogram.destroy();
    std::printf("%lld values counted\n", static_cast<long long>(counted));
    right = counted == kValues;
  });
  return right ? 0 : 1;
}
