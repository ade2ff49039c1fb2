#include "grappa/container/replica.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

// None, one, fewer than cores, primes, more than a chunk of messages holds.
constexpr std::int64_t kReplicaSizes[] = {0, 1, 3, 17, 64, 997, 30011};

/// on_all_cores, of which the cores of a locale take the elements in turn.
template <class T, class F>
void for_each_element(Replica<T> replica, F body) {
  on_all_cores([replica, body] {
    for (std::int64_t i = this_core() % cores_per_locale(); i < replica.size();
         i += cores_per_locale()) {
      body(i, replica.data()[i]);
    }
  });
}

TEST(Replica, IsOneCopyALocale) {
  test::on_machines([] {
    auto replica = Replica<std::int64_t>::create(100);
    EXPECT_EQ(replica.size(), 100);
    for_each_element(replica, [](std::int64_t, std::int64_t& x) {
      EXPECT_EQ(x, 0);
      x = this_locale();
    });
    on_all_cores([replica] {
      EXPECT_EQ(replica.span().size(), 100u);
      for (const std::int64_t x : replica.span()) EXPECT_EQ(x, this_locale());
    });
    replica.destroy();
    EXPECT_EQ(replica.size(), 0);
  });
}

TEST(Replica, IsWrittenByAllCoresOfItsLocaleAtOnce) {
  test::on_machines([] {
    auto bits = Replica<std::uint64_t>::create(4);
    on_all_cores([bits] {
      for (int k = 0; k < 1000; ++k) {
        std::atomic_ref(bits.data()[k % 4]).fetch_add(1, std::memory_order_relaxed);
      }
    });
    on_all_cores([bits] {
      for (const std::uint64_t x : bits.span()) {
        EXPECT_EQ(x, 250u * static_cast<unsigned>(cores_per_locale()));
      }
    });
    bits.destroy();
  });
}

TEST(Replica, FillSetsEveryCopy) {
  test::on_machines([] {
    for (const std::int64_t n : kReplicaSizes) {
      auto replica = Replica<std::int32_t>::create(n);
      replica.fill(-7);
      for_each_element(replica, [](std::int64_t, std::int32_t& x) { EXPECT_EQ(x, -7); });
      replica.destroy();
    }
  });
}

TEST(Replica, MergeCombinesAllCopies) {
  test::on_machines([] {
    for (const std::int64_t n : kReplicaSizes) {
      SCOPED_TRACE(n);
      auto sums = Replica<std::int64_t>::create(n);
      auto least = Replica<std::int32_t>::create(n);
      auto bits = Replica<std::uint8_t>::create(n);
      for_each_element(sums, [](std::int64_t i, std::int64_t& x) { x = i + 1000 * this_locale(); });
      for_each_element(least, [](std::int64_t i, std::int32_t& x) {
        x = static_cast<std::int32_t>((i + this_locale()) % locale_count()) + 1;
      });
      for_each_element(bits, [](std::int64_t i, std::uint8_t& x) {
        if (i % locale_count() == this_locale()) x = static_cast<std::uint8_t>(1 + i % 200);
      });
      sums.merge([](std::int64_t a, std::int64_t b) { return a + b; });
      least.merge([](std::int32_t a, std::int32_t b) { return a < b ? a : b; });
      bits.merge([](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a | b); });
      const std::int64_t locales = locale_count();
      for_each_element(sums, [locales](std::int64_t i, std::int64_t& x) {
        ASSERT_EQ(x, locales * i + 1000 * locales * (locales - 1) / 2);
      });
      for_each_element(least, [](std::int64_t, std::int32_t& x) { ASSERT_EQ(x, 1); });
      for_each_element(bits, [](std::int64_t i, std::uint8_t& x) { ASSERT_EQ(x, 1 + i % 200); });
      sums.destroy();
      least.destroy();
      bits.destroy();
    }
  });
}

TEST(Replica, MergesAgainAndAgain) {
  test::on_machines([] {
    auto replica = Replica<std::int64_t>::create(500);
    replica.fill(1);
    std::int64_t expected = 1;
    for (int round = 0; round < 6; ++round) {
      replica.merge([](std::int64_t a, std::int64_t b) { return a + b; });
      expected *= locale_count();
      for_each_element(replica,
                       [expected](std::int64_t, std::int64_t& x) { ASSERT_EQ(x, expected); });
    }
    replica.destroy();
  });
}

TEST(Replica, ShareSendsEachLocalesPartToAll) {
  test::on_machines([] {
    for (const std::int64_t n : kReplicaSizes) {
      SCOPED_TRACE(n);
      auto replica = Replica<std::int64_t>::create(n);
      for_each_element(replica,
                       [](std::int64_t i, std::int64_t& x) { x = 100 * i + this_locale(); });
      // Uneven parts: the first locale has nothing, the last one nearly all.
      const std::int64_t locales = locale_count();
      const auto range = [n, locales](int locale) {
        const auto begin = [n, locales](std::int64_t l) {
          return l == 0 ? 0 : l == locales ? n : std::min(n, (l - 1) * 3);
        };
        return std::pair<std::int64_t, std::int64_t>(begin(locale), begin(locale + 1));
      };
      replica.all_gather(range);
      for_each_element(replica, [range, locales](std::int64_t i, std::int64_t& x) {
        int owner = 0;
        while (owner + 1 < locales && i >= range(owner).second) ++owner;
        ASSERT_EQ(x, 100 * i + owner);
      });
      replica.destroy();
    }
  });
}

TEST(Replica, ElementsMayBeOfAnySize) {
  struct Part {
    std::int64_t sum = 0;
    std::int32_t count = 0;
    char padding_too[11] = {};
  };
  test::on_machines([] {
    auto replica = Replica<Part>::create(333);
    for_each_element(replica, [](std::int64_t i, Part& part) {
      part.sum = i;
      part.count = 1;
    });
    replica.merge([](Part a, const Part& b) {
      a.sum += b.sum;
      a.count += b.count;
      return a;
    });
    for_each_element(replica, [](std::int64_t i, Part& part) {
      ASSERT_EQ(part.count, locale_count());
      ASSERT_EQ(part.sum, i * locale_count());
    });
    replica.destroy();
  });
}

TEST(Replica, RefusesMisuse) {
  test::on_machines([] {
    using R = Replica<std::int64_t>;
    EXPECT_THROW(static_cast<void>(R::create(-1)), UsageError);
    EXPECT_THROW(static_cast<void>(R::create(std::int64_t{1} << 45)), UsageError);
    EXPECT_THROW(static_cast<void>(R::create(std::int64_t{1} << 61)), UsageError);
    EXPECT_THROW(static_cast<void>(R::create(std::numeric_limits<std::int64_t>::max())),
                 UsageError);
    auto replica = R::create(10);
    using Range = std::pair<std::int64_t, std::int64_t>;
    for (const Range& range : {Range{-1, 3}, Range{5, 11}, Range{7, 3}})
      EXPECT_THROW(replica.all_gather([range](int) { return range; }), UsageError);
    if (locale_count() > 1) {
      const auto overlapping = [](int locale) { return Range{9 - locale, 10}; };
      EXPECT_THROW(replica.all_gather(overlapping), UsageError);
    }
    replica.all_gather([](int) { return Range{10, 10}; });
    auto copy = replica;
    replica.destroy();
    EXPECT_THROW(copy.destroy(), RemoteError);
    EXPECT_THROW(replica.destroy(), RemoteError);
  });
}

}  // namespace
}  // namespace grappa
