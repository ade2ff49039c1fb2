// Smooths a curve: every core reads what its locale holds directly, and asks for the rest.

#include <grappa/grappa.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>

using namespace grappa;

constexpr std::int64_t kPoints = 100'000;
constexpr int kRounds = 5;

int main() {
  bool right = true;
  run([&] {
    auto now = GlobalArray<double>::create(kPoints);
    auto next = GlobalArray<double>::create(kPoints);
    now.forall([](std::int64_t i, double& y) { y = i == kPoints / 2 ? 1.0 : 0.0; });

    for (int round = 0; round < kRounds; ++round) {
      // While this loop runs nobody writes `now`: it is frozen.
      next.forall([=](std::int64_t i, double& y) {
        const FrozenView<double> here_now = now.frozen();
        const auto value = [&](std::int64_t j) {
          if (j < 0 || j >= kPoints) return 0.0;
          return here_now.holds(j) ? here_now[j] : delegate::read(now[j]);
        };
        y = (value(i - 1) + value(i) + value(i + 1)) / 3;
      });
      std::swap(now, next);
    }
    const double sum = reduce(now, 0.0, std::plus<>{});
    std::printf("peak after %d rounds: %.6f\n", kRounds, delegate::read(now[kPoints / 2]));
    std::printf("sum: %.6f\n", sum);
    right = std::abs(sum - 1) < 1e-12;
    now.destroy();
    next.destroy();
  });
  return right ? 0 : 1;
}
