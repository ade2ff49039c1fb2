#include "grappa/mapreduce/kmeans/internal/bounded_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "grappa/parallel/test_machines.hpp"

namespace grappa::mapreduce::detail {
namespace {

struct Kind {
  const char* name;
  /// A coordinate, of a random number between 0 and 1.
  double (*coordinate)(double);
  double step;  // of the centers, at the beginning
  bool saves;   // distances
};

const Kind kKinds[] = {
    {"usual", [](double x) { return x; }, 0.1, true},
    {"far from zero", [](double x) { return 1e9 + x; }, 0.1, true},
    {"in two places", [](double x) { return x < 0.5 ? x : 1000 + x; }, 0.1, true},
    {"huge", [](double x) { return 1e130 * x; }, 1e129, false},
    {"tiny", [](double x) { return 1e-130 * x; }, 1e-131, false},
    {"of a float's end", [](double x) { return 1e-38 * x; }, 1e-39, false},
    {"of whole numbers, with equal distances", [](double x) { return std::floor(4 * x); }, 1,
     false},
};

/// Moves centers about and compares each pass with one that computes all distances.
void compare(const Kind& kind, int dimensions, int k, int most) {
  SCOPED_TRACE(testing::Message() << kind.name << ", " << dimensions << " dimensions, " << k
                                  << " centers");
  std::mt19937_64 random(static_cast<unsigned>(dimensions * k));
  std::uniform_real_distribution<double> uniform;
  const auto place = [&] {
    std::vector<double> coordinates(static_cast<std::size_t>(dimensions));
    for (double& x : coordinates) x = kind.coordinate(uniform(random));
    return coordinates;
  };
  PointBlocks points(dimensions);
  for (int i = 0; i < 1003; ++i) points.add(place().data());
  points.fill_up();
  std::vector<double> at;
  for (int i = 0; i < k; ++i) {
    const std::vector<double> center = place();
    at.insert(at.end(), center.begin(), center.end());
  }

  MovingCenters centers(dimensions);
  Bounds bounds;
  std::int64_t distances = 0;
  constexpr int kPasses = 20;
  for (int pass = 0; pass < kPasses; ++pass) {
    centers.move_to(at);
    if (pass > 0) {
      centers.prepare(most);
      for (int part = 0; part < 3; ++part) centers.look_around(part, 3);
    }
    Sums sums(k, dimensions);
    BoundedPass of_few(points, centers, bounds, sums);
    for (std::int64_t i = 0; i < points.blocks(); ++i) pass == 0 ? of_few.begin(i) : of_few.add(i);
    of_few.finish();
    distances += sums.distances;

    Sums expected(k, dimensions);
    for (std::int64_t i = 0; i < points.blocks(); ++i) {
      const Nearest near = nearest_centers(points.block(i), dimensions, at.data(), k);
      expected.add(points.block(i), first_lanes(points.points_of(i)), near);
      for (int lane = 0; lane < points.points_of(i); ++lane)
        ASSERT_EQ(bounds.labels[static_cast<std::size_t>(i * kLanes + lane)], near.label[lane])
            << "pass " << pass << ", point " << i * kLanes + lane;
    }
    expected.sizes.back() = sums.sizes.back();
    EXPECT_EQ(sums.sizes, expected.sizes);
    const double inertia = expected.total_inertia();
    EXPECT_NEAR(sums.total_inertia(), inertia, 1e-9 * inertia);
    // One stands still, and one goes far in the end.
    const double step = kind.step * std::pow(0.6, pass);
    for (std::size_t i = static_cast<std::size_t>(dimensions); i < at.size(); ++i)
      at[i] += kind.step < 1 ? step * (uniform(random) - 0.5)
                             : std::round(3 * step * (uniform(random) - 0.5));
    if (pass == 15) at.back() += 3 * kind.step;
  }
  if (k >= 50 && dimensions <= 3 && kind.saves) {
    EXPECT_LT(distances, kPasses * points.blocks() * k / 2);
  }
}

TEST(BoundedPass, FindsTheLabelsThatAllDistancesGive) {
  run(test::threads(1), [] {
    for (const Kind& kind : kKinds) {
      for (const int dimensions : {1, 2, 3, 8, 17}) {
        for (const int k : {2, 7, 50, 200}) compare(kind, dimensions, k, k == 200 ? 24 : 512);
      }
    }
  });
}

TEST(FloatsBelow, AreBelow) {
  for (const double number : {0.0, 1e-300, 1e-45, 1e-38, 1.2e-38, 0.1, 1.0, 1e38, 3.5e38, 1e300,
                              std::numeric_limits<double>::infinity()}) {
    const double below = floats_below(Lanes{} + number)[3];
    EXPECT_LE(below, number);
    if (number > 2e-38 && number < 3e38) {
      EXPECT_NEAR(below / number, 1, 1e-6);
    }
  }
  EXPECT_EQ(floats_below(Lanes{} - 1.0)[0], 0);
}

}  // namespace
}  // namespace grappa::mapreduce::detail
