// k-means on a line, written as the paper has it: the points are mapped to their nearest centers,
// and reduced to the means of each. The input stays in memory for all iterations.

#include <grappa/mapreduce.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

using namespace grappa;
using namespace grappa::mapreduce;

struct Sum {
  double points, total;
};
Sum operator+(const Sum& a, const Sum& b) { return {a.points + b.points, a.total + b.total}; }

int main() {
  bool right = true;
  run([&] {
    std::array<double, 3> centers = {1, 9, 12};
    const auto points = generate(30'000, [](std::int64_t i) {
                          return double(i % 3) * 10 + double(i) * 1e-5;
                        }).cache();
    for (int iteration = 0; iteration < 20; ++iteration) {
      const auto sums = points
                            .map([centers](double x) {
                              int nearest = 0;
                              for (int k = 1; k < 3; ++k)
                                if (std::abs(x - centers[k]) < std::abs(x - centers[nearest]))
                                  nearest = k;
                              return std::pair(nearest, Sum{1, x});
                            })
                            .reduce_to_index(3, Sum{}, std::plus<>());
      for (std::size_t k = 0; k < 3; ++k)
        if (sums[k].points > 0) centers[k] = sums[k].total / sums[k].points;
    }
    std::printf("%.2f %.2f %.2f\n", centers[0], centers[1], centers[2]);
    right = std::abs(centers[2] - 20.15) < 1e-3;
  });
  return right ? 0 : 1;
}
