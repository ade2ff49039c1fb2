#include "grappa/container/global_vector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "grappa/container/test_combining.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

using Vector = GlobalVector<std::int64_t>;

std::vector<std::int64_t> elements_of(const Vector& vector) {
  const Owned<GlobalArray<std::int64_t>> array = vector.to_array();
  std::vector<std::int64_t> values(static_cast<std::size_t>(array->size()));
  read_span(*array, 0, std::span<std::int64_t>(values));
  return values;
}

TEST(GlobalVector, OperationsDoWhatTheySayOnEveryCore) {
  test::on_machines_either_way([] {
    const Owned<Vector> vector = Vector::create();
    test::for_each_core([&](int core) {
      CompletionEvent done;
      spawn_on(done, core, [vector = *vector] {
        EXPECT_EQ(vector.pop(), std::nullopt);
        EXPECT_EQ(vector.push(5), 0);
        std::vector<std::int64_t> more(3000);
        std::iota(more.begin(), more.end(), 10);
        EXPECT_EQ(vector.append(more), 1);
        EXPECT_EQ(vector.append(std::span(more).first(2)), 3001);
        EXPECT_EQ(vector.append({}), 3003);
        EXPECT_EQ(vector.size(), 3003);
        EXPECT_EQ(delegate::read(vector[0]), 5);
        EXPECT_EQ(delegate::read(vector[1]), 10);
        EXPECT_EQ(delegate::read(vector[3000]), 3009);
        EXPECT_EQ(vector.pop(), 11);
        EXPECT_EQ(vector.pop(), 10);
        EXPECT_EQ(vector.pop(), 3009);
        vector.clear();
        EXPECT_TRUE(vector.empty());
      });
      done.wait();
    });
  });
}

TEST(GlobalVector, KeepsAllThatAllTasksPush) {
  test::on_machines_either_way([] {
    const Owned<Vector> vector = Vector::create();
    const std::int64_t n = 5000;
    forall(0, n, [vector = *vector](std::int64_t i) {
      if (i % 50 == 0) {
        const std::int64_t at = vector.push(i);
        EXPECT_EQ(delegate::read(vector[at]), i);
      } else {
        vector.async_push(i);
      }
    });
    ASSERT_EQ(vector->size(), n);
    vector->sort();
    std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(elements_of(*vector), expected);
    vector->sort(std::greater<>{});
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(elements_of(*vector), expected);
  });
}

TEST(GlobalVector, ResizesAndIsVisitedAtTheHomes) {
  test::on_machines([] {
    const Owned<Vector> vector = Vector::create(100);
    vector->resize(1000);
    vector->forall([](std::int64_t i, std::int64_t& x) {
      EXPECT_EQ(x, 0);
      x = i;
    });
    vector->resize(600);
    vector->resize(20'000);
    const std::vector<std::int64_t> values = elements_of(*vector);
    ASSERT_EQ(values.size(), 20'000u);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], i < 600 ? static_cast<std::int64_t>(i) : 0);
    vector->forall([](std::int64_t& x) { x = 1; });
    std::int64_t sum = 0;
    for (const std::int64_t x : elements_of(*vector)) sum += x;
    EXPECT_EQ(sum, 20'000);
  });
}

TEST(GlobalVector, TakesElementsOfAnySize) {
  struct Large {
    std::int64_t words[700];
  };
  test::on_machines([] {
    const Owned<GlobalVector<Large>> vector = GlobalVector<Large>::create();
    for (std::int64_t i = 0; i < 40; ++i) vector->push(Large{{i, 2 * i}});
    for (std::int64_t i = 39; i >= 0; --i) EXPECT_EQ(vector->pop()->words[1], 2 * i);
    const Owned<GlobalVector<char>> text = GlobalVector<char>::create();
    for (char c = 'a'; c <= 'z'; ++c) text->push(c);
    EXPECT_EQ(delegate::read((*text)[25]), 'z');
  });
}

TEST(GlobalVector, RefusesWhatCannotBe) {
  test::on_machines([] {
    EXPECT_THROW(static_cast<void>(Vector::create(-1)), UsageError);
    Vector vector = Vector::create();
    EXPECT_THROW(vector[0], UsageError);
    EXPECT_THROW(vector.resize(-1), UsageError);
    vector.push(1);
    EXPECT_THROW(vector[-1], UsageError);
    const Vector copy = vector;
    vector.destroy();
    EXPECT_THROW(copy.push(1), UsageError);
    EXPECT_THROW(copy.size(), UsageError);
  });
}

}  // namespace
}  // namespace grappa
