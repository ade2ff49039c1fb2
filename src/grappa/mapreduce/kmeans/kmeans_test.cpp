#include "grappa/mapreduce/kmeans/kmeans.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "grappa/mapreduce/dataset.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "tests/support/files.hpp"

namespace grappa::mapreduce {
namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix random_points(std::size_t n, std::size_t dimensions, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix points(n, std::vector<double>(dimensions));
  for (std::size_t i = 0; i < n; ++i) {
    for (double& x : points[i]) x = normal(random) + 6.0 * static_cast<double>(i % 3);
  }
  return points;
}

std::string csv_of(const Matrix& points) {
  std::string text;
  for (const auto& point : points) {
    for (std::size_t d = 0; d < point.size(); ++d)
      text += fmt::format("{}{}", d == 0 ? "" : ",", point[d]);
    text += '\n';
  }
  return text;
}

struct Reference {
  Matrix centers;
  std::vector<std::uint32_t> labels;
  double inertia = 0;
};

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

void assign(const Matrix& points, Reference& result) {
  result.labels.clear();
  result.inertia = 0;
  for (const auto& point : points) {
    std::uint32_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0; k < result.centers.size(); ++k) {
      const double distance = squared_distance(point, result.centers[k]);
      if (distance < least) {
        least = distance;
        nearest = k;
      }
    }
    result.labels.push_back(nearest);
    result.inertia += least;
  }
}

/// Lloyd's algorithm as one writes it down.
Reference reference(const Matrix& points, Matrix centers, int iterations) {
  Reference result{std::move(centers), {}, 0};
  for (int i = 0; i < iterations; ++i) {
    assign(points, result);
    Matrix sums(result.centers.size(), std::vector<double>(points[0].size()));
    std::vector<double> sizes(result.centers.size());
    for (std::size_t p = 0; p < points.size(); ++p) {
      sizes[result.labels[p]] += 1;
      for (std::size_t d = 0; d < points[p].size(); ++d) sums[result.labels[p]][d] += points[p][d];
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      if (sizes[k] == 0) continue;
      for (std::size_t d = 0; d < sums[k].size(); ++d) result.centers[k][d] = sums[k][d] / sizes[k];
    }
  }
  assign(points, result);
  return result;
}

std::vector<double> flat(const Matrix& rows) {
  std::vector<double> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

class KMeansTest : public test::OnMachines {};

TEST_P(KMeansTest, FindsWhatAPlainLoopFinds) {
  for (const std::size_t dimensions : {1u, 2u, 6u, 17u}) {
    const io::TemporaryFolder folder;
    const Matrix points = random_points(503, dimensions, 7);
    const std::string path = folder.write("points.csv", csv_of(points));
    const Matrix start(points.begin(), points.begin() + 7);
    const Reference expected = reference(points, start, 9);
    run(config(), [&] {
      const Owned<Points> all = read_points({.paths = {path}});
      EXPECT_EQ(all->size(), 503);
      EXPECT_EQ(all->dimensions(), static_cast<int>(dimensions));
      const KMeansResult found =
          kmeans(*all, {.k = 7, .centers = flat(start), .iterations = 9, .tolerance = -1});
      EXPECT_EQ(found.iterations, 9);
      EXPECT_NEAR(found.inertia, expected.inertia, 1e-9 * expected.inertia);
      EXPECT_EQ(from_cores<std::uint32_t>(*found.labels).collect(), expected.labels);
      const std::vector<double> centers = flat(expected.centers);
      for (std::size_t i = 0; i < centers.size(); ++i)
        EXPECT_NEAR(found.centers[i], centers[i], 1e-9);
    });
  }
}

/// Enough points for as many centers that not all distances are computed.
TEST_P(KMeansTest, FindsItWithBoundsToo) {
  const io::TemporaryFolder folder;
  constexpr std::size_t kCenters = 50;
  const Matrix points = random_points(8001, 2, 11);
  const std::string path = folder.write("points.csv", csv_of(points));
  const Matrix start(points.begin(), points.begin() + kCenters);
  for (const int iterations : {0, 1, 2, 30}) {
    const Reference expected = reference(points, start, iterations);
    run(config(), [&] {
      const Owned<Points> all = read_points({.paths = {path}});
      const KMeansResult found = kmeans(
          *all, {.k = kCenters, .centers = flat(start), .iterations = iterations, .tolerance = -1});
      EXPECT_NEAR(found.inertia, expected.inertia, 1e-9 * expected.inertia);
      EXPECT_EQ(from_cores<std::uint32_t>(*found.labels).collect(), expected.labels);
      EXPECT_EQ(std::reduce(found.sizes.begin(), found.sizes.end()), std::ssize(points));
    });
  }
}

std::vector<double> start_of(const std::string& path, KMeansStart start) {
  const Owned<Points> points = read_points({.paths = {path}});
  return kmeans(*points, {.k = 11, .start = start, .seed = 5, .iterations = 0}).centers;
}

TEST_P(KMeansTest, StartsAreTheSameOnAnyMachine) {
  const io::TemporaryFolder folder;
  const std::string path = folder.write("points.csv", csv_of(random_points(400, 2, 3)));
  for (const KMeansStart start : {KMeansStart::kPlusPlus, KMeansStart::kRandom}) {
    std::vector<double> alone;
    run(test::threads(1), [&] { alone = start_of(path, start); });
    run(config(), [&] { EXPECT_EQ(start_of(path, start), alone); });
    const std::set<double> different(alone.begin(), alone.end());
    EXPECT_EQ(different.size(), 22u);
  }
}

TEST_P(KMeansTest, ReadsWhatNumPyWrites) {
  const io::TemporaryFolder folder;
  std::string header = "{'descr': '<f4', 'fortran_order': True, 'shape': (5, 2), }";
  header.resize(117, ' ');
  std::string bytes = std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n";
  for (const float x : {0.f, 1.f, 10.f, 11.f, 12.f, 5.f, 5.f, 5.f, 5.f, 5.f})
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  const std::string path = folder.write("points.npy", bytes);
  const std::string cut = folder.write("cut.npy", bytes.substr(0, bytes.size() - 4));
  run(config(), [&] {
    const Owned<Points> points = read_points({.paths = {path}});
    const KMeansResult found = kmeans(*points, {.k = 2, .centers = {0, 5, 12, 5}});
    EXPECT_THAT(found.centers, testing::ElementsAre(0.5, 5, 11, 5));
    EXPECT_THAT(found.sizes, testing::ElementsAre(2, 3));
    EXPECT_TRUE(found.converged);
    EXPECT_THROW(read_points({.paths = {cut}}), Error);
  });
}

TEST(ReadPoints, TextOfSeveralKinds) {
  const io::TemporaryFolder folder;
  run(test::threads(2), [&] {
    for (const std::string text : {"x,y\n1,2\n3,4", "1 2\r\n 3\t 4\r\n\r\n", "1\t2\n3\t+4\n",
                                   "\n1,2\n3,4\n", "\r\n \nx,y\n\n1,2\n3,4\n",
                                   "\xef\xbb\xbf"
                                   "1;2\n3;4e0\n"}) {
      const Owned<Points> points = read_points({.paths = {folder.write("p.txt", text)}});
      EXPECT_EQ(points->size(), 2);
      EXPECT_EQ(points->dimensions(), 2);
    }
  });
}

TEST(ReadPoints, RefusesWhatIsNoPoint) {
  const io::TemporaryFolder folder;
  const auto refused = [&](const std::string& text, std::int64_t line, std::string_view message) {
    const std::string path = folder.write("p.csv", text);
    run(test::threads(2),
        [&] { io::expect_input_error([&] { read_points({.paths = {path}}); }, line, message); });
  };
  refused("1,2\n3\n", 2, "1 column, 2 expected");
  refused("1,2\n3,4,5\n", 2, "3 columns, 2 expected");
  refused("1,2\n3,x\n", 2, "found 'x'");
  refused("1,2\n3,nan\n", 2, "not finite");
  refused("1,2\n3,1e999\n", 2, "no number that a double holds");
  refused("1,2\n3,\n", 2, "1 column");
  refused("", 0, "no points");
  refused("\n \r\n", 0, "no points");
  refused("a,b\n", 0, "no points");
}

TEST(ReadPoints, SkipsBadLinesWhereAsked) {
  const io::TemporaryFolder folder;
  const std::string path = folder.write("p.csv", "1\nx\n3\n");
  run(test::threads(2), [&] {
    std::int64_t skipped = 0;
    const Owned<Points> points =
        read_points({.paths = {path}, .skip_bad_records = 1, .skipped = &skipped});
    EXPECT_EQ(points->size(), 2);
    EXPECT_EQ(skipped, 1);
  });
}

TEST(KMeans, RefusesDistancesWhoseSquaresVanish) {
  const io::TemporaryFolder folder;
  const auto points_of = [&](const std::string& text) {
    return read_points({.paths = {folder.write("p.csv", text)}});
  };
  run(test::threads(2), [&] {
    for (const std::string text : {"1e-200\n2e-200\n5e-200\n", "1e-160,0\n2e-160,0\n5e-160,0\n"})
      EXPECT_THROW(kmeans(*points_of(text), {.k = 2}), UsageError) << text;
    EXPECT_EQ(kmeans(*points_of("0\n0\n"), {.k = 2}).inertia, 0);
    const KMeansResult small = kmeans(*points_of("1e-140\n2e-140\n5e-140\n"), {.k = 2});
    EXPECT_NEAR(small.inertia * 1e280, 0.5, 1e-9);
  });
}

TEST(KMeans, RefusesMoreCentersThanPoints) {
  const io::TemporaryFolder folder;
  const std::string path = folder.write("p.csv", "1\n2\n");
  run(test::threads(1), [&] {
    const Owned<Points> points = read_points({.paths = {path}});
    EXPECT_THROW(kmeans(*points, {.k = 3}), UsageError);
  });
}

GRAPPA_ON_MACHINES(KMeansTest);

}  // namespace
}  // namespace grappa::mapreduce
