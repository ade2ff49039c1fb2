// The line that lies closest to many points, by least squares: one pass that adds up five sums.

#include <grappa/mapreduce.hpp>

#include <cmath>
#include <cstdio>

using namespace grappa;
using namespace grappa::mapreduce;

struct Sums {
  double n, x, y, xx, xy;
};

Sums operator+(const Sums& a, const Sums& b) {
  return {a.n + b.n, a.x + b.x, a.y + b.y, a.xx + b.xx, a.xy + b.xy};
}

int main() {
  bool right = true;
  run([&] {
    const Sums s = generate(100'000, [](std::int64_t i) {
                     const double x = static_cast<double>(i) * 1e-5;
                     const double noise = i % 2 == 0 ? 0.1 : -0.1;
                     const double y = 3 * x + 1 + noise;
                     return Sums{1, x, y, x * x, x * y};
                   }).reduce(Sums{}, std::plus<>());
    const double slope = (s.n * s.xy - s.x * s.y) / (s.n * s.xx - s.x * s.x);
    const double intercept = (s.y - slope * s.x) / s.n;
    std::printf("y = %.4f x + %.4f\n", slope, intercept);
    right = std::abs(slope - 3) < 1e-3 && std::abs(intercept - 1) < 1e-3;
  });
  return right ? 0 : 1;
}
