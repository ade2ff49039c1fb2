// How many numbers fall into each of ten ranges: few dense keys, so an array on each core.

#include <grappa/mapreduce.hpp>

#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

using namespace grappa;
using namespace grappa::mapreduce;

int main() {
  bool right = true;
  run([&] {
    constexpr std::int64_t kNumbers = 1'000'000;
    const Owned<GlobalArray<double>> numbers = GlobalArray<double>::create(kNumbers);
    numbers->forall([](std::int64_t i, double& x) {
      x = static_cast<double>(hash_number(static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53;
    });
    const std::vector<std::int64_t> histogram =
        from(*numbers)
            .map([](double x) { return std::pair(static_cast<int>(10 * x), std::int64_t{1}); })
            .reduce_to_index(10, std::int64_t{0}, std::plus<>());
    for (const std::int64_t count : histogram) std::printf("%lld\n", static_cast<long long>(count));
    right = std::accumulate(histogram.begin(), histogram.end(), std::int64_t{0}) == kNumbers;
  });
  return right ? 0 : 1;
}
