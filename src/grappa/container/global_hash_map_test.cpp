#include "grappa/container/global_hash_map.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>

#include "grappa/container/global_array.hpp"
#include "grappa/delegate/awaitable.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

TEST(GlobalHashMap, OperationsDoWhatTheySay) {
  test::on_machines([] {
    auto map = GlobalHashMap<std::uint64_t, std::int64_t>::create();
    EXPECT_EQ(map.size(), 0);
    EXPECT_EQ(map.find(5), std::nullopt);
    EXPECT_FALSE(map.erase(5));
    for (std::uint64_t key = 0; key < 20; ++key) {
      EXPECT_TRUE(map.insert(key, 1));
      EXPECT_FALSE(map.insert(key, 2));
      EXPECT_EQ(map.find(key), 1);
      EXPECT_FALSE(map.insert_or_assign(key, 3));
      EXPECT_EQ(map.find(key), 3);
      EXPECT_EQ(map.upsert(key, 10, std::plus<>{}), 13);
      EXPECT_TRUE(map.contains(key));
      // A combiner may also change the value in place.
      EXPECT_EQ(map.upsert(key, 4, [](std::int64_t& old, std::int64_t given) { old -= given; }), 9);
    }
    EXPECT_TRUE(map.insert_or_assign(100, 7));
    EXPECT_EQ(map.upsert(101, 8, std::plus<>{}), 8);
    EXPECT_EQ(map.size(), 22);
    EXPECT_TRUE(map.erase(100));
    EXPECT_FALSE(map.contains(100));
    EXPECT_EQ(map.size(), 21);
    map.clear();
    EXPECT_EQ(map.size(), 0);
    EXPECT_FALSE(map.contains(1));
    EXPECT_TRUE(map.insert(1, 1));
    map.destroy();
  });
}

Coroutine<> use_issued(GlobalHashMap<std::string, std::int64_t> map, std::string key) {
  EXPECT_TRUE(co_await map.issue_insert(key, 1));
  EXPECT_EQ(co_await map.issue_upsert(key, 10, std::plus<>{}), 11);
  EXPECT_EQ(co_await map.issue_find(key), 11);
  EXPECT_TRUE(co_await map.issue_erase(key));
  EXPECT_EQ(co_await map.issue_find(key), std::nullopt);
}

TEST(GlobalHashMap, OperationsAreIssuedAndAwaited) {
  test::on_machines([] {
    auto map = GlobalHashMap<std::string, std::int64_t>::create();
    Handle<bool> first = map.issue_insert("a", 1);
    Handle<bool> second = map.issue_insert("b", 2);
    EXPECT_TRUE(first.complete());
    EXPECT_TRUE(second.complete());
    EXPECT_EQ(map.issue_find("b").complete(), 2);
    CompletionEvent done;
    for (int i = 0; i < 20; ++i) spawn(done, use_issued(map, "key " + std::to_string(i)));
    done.wait();
    EXPECT_EQ(map.size(), 2);
    map.destroy();
  });
}

TEST(GlobalHashMap, DoesWhatAnUnorderedMapDoes) {
  test::on_machines([] {
    for (const std::uint64_t seed : {1u, 2u}) {
      auto map = GlobalHashMap<std::int32_t, std::int64_t>::create(seed == 1 ? 0 : 100);
      std::unordered_map<std::int32_t, std::int64_t> model;
      std::minstd_rand random(static_cast<std::uint32_t>(seed));
      for (int step = 0; step < 4000; ++step) {
        const auto key = static_cast<std::int32_t>(random() % 300) - 150;
        switch (random() % 6) {
          case 0:
            ASSERT_EQ(map.insert(key, step), model.try_emplace(key, step).second);
            break;
          case 1:
            ASSERT_EQ(map.insert_or_assign(key, step), model.insert_or_assign(key, step).second);
            break;
          case 2: {
            auto [it, is_new] = model.try_emplace(key, step);
            if (!is_new) it->second += step;
            ASSERT_EQ(map.upsert(key, step, std::plus<>{}), it->second);
            break;
          }
          case 3: {
            const auto it = model.find(key);
            ASSERT_EQ(map.find(key), it == model.end() ? std::nullopt : std::optional(it->second));
            break;
          }
          default:
            ASSERT_EQ(map.erase(key), model.erase(key) == 1);
        }
      }
      EXPECT_EQ(map.size(), static_cast<std::int64_t>(model.size()));
      for (const auto& [key, value] : model) EXPECT_EQ(map.find(key), value);
      map.destroy();
    }
  });
}

TEST(GlobalHashMap, CountsFromEverywhereWhileItGrows) {
  test::on_machines([] {
    constexpr std::int64_t kKeys = 5000;
    constexpr std::int64_t kTimes = 8;
    auto counts = GlobalHashMap<std::int64_t, std::int64_t>::create();
    forall(0, kKeys * kTimes,
           [=](std::int64_t i) { counts.async_upsert(i * 7919 % kKeys, 1, std::plus<>{}); });
    EXPECT_EQ(counts.size(), kKeys);
    auto seen = symmetric_alloc<std::int64_t>();
    counts.forall([=](const std::int64_t& key, std::int64_t& count) {
      EXPECT_EQ(count, kTimes);
      EXPECT_EQ(counts.home(key), this_core());
      ++seen.local();
      count = -key;
    });
    EXPECT_EQ(reduce_cores([=] { return seen.local(); }, std::int64_t{0}, std::plus<>{}), kKeys);
    for (std::int64_t key = 0; key < kKeys; key += 97) EXPECT_EQ(counts.find(key), -key);
    // Each core has about its part.
    on_all_cores([=] {
      const std::int64_t part = kKeys / core_count();
      EXPECT_NEAR(static_cast<double>(counts.local_size()), static_cast<double>(part),
                  static_cast<double>(part) / 4);
      std::int64_t entries = 0;
      counts.local_for_each([&entries](const std::int64_t&, std::int64_t&) { ++entries; });
      EXPECT_EQ(entries, counts.local_size());
    });
    symmetric_free(seen);
    counts.destroy();
  });
}

TEST(GlobalHashMap, AsynchronousOperationsJoinTheEventThatIsNamed) {
  test::on_machines([] {
    auto map = GlobalHashMap<std::uint64_t, std::uint64_t>::create(1000);
    CompletionEvent done;
    for (std::uint64_t key = 0; key < 1000; ++key) {
      map.async_insert(done, key, key);
      map.async_insert(done, key, key + 1);
      map.async_upsert(done, key, 5, std::plus<>{});
    }
    done.wait();
    EXPECT_EQ(map.size(), 1000);
    for (std::uint64_t key = 0; key < 1000; key += 13) {
      const std::uint64_t value = map.find(key).value();
      EXPECT_TRUE(value >= key + 5 && value <= key + 11) << value;
    }
    map.destroy();
  });
}

TEST(GlobalHashMap, OperationsOfManyTasksAreOneStepEach) {
  test::on_machines([] {
    auto map = GlobalHashMap<std::uint64_t, std::int64_t>::create();
    const auto tally = GlobalArray<std::int64_t>::create(3);
    forall(0, 600, [=](std::int64_t i) {
      // Of all that insert a key, one is the first; every value is seen once.
      if (map.insert(static_cast<std::uint64_t>(i % 20), 0)) delegate::increment(tally[0]);
      const std::int64_t count = map.upsert(static_cast<std::uint64_t>(i % 20), 1, std::plus<>{});
      delegate::increment(tally[1], count);
      if (i % 20 == 3 && map.erase(1000)) delegate::increment(tally[2]);
    });
    EXPECT_EQ(delegate::read(tally[0]), 20);
    EXPECT_EQ(delegate::read(tally[1]), 20 * 30 * 31 / 2);
    EXPECT_EQ(delegate::read(tally[2]), 0);
    auto gone = tally;
    gone.destroy();
    map.destroy();
  });
}

// ---- forall

TEST(GlobalHashMap, ForallWaitsForAllThatItsBodyCauses) {
  test::on_machines([] {
    auto map = GlobalHashMap<std::int64_t, std::int64_t>::create();
    auto inverse = GlobalHashMap<std::int64_t, std::int64_t>::create();
    const auto sum = GlobalArray<std::int64_t>::create(2);
    forall(0, 700, [=](std::int64_t i) { map.async_insert(i, -i); });
    map.forall([=](const std::int64_t& key, std::int64_t& value) {
      inverse.async_insert(value, key);
      delegate::async::increment(sum[0], key);
      delegate::fetch_add(sum[1], key);  // suspends; the entry stays where it is
      value = key * 2;
    });
    EXPECT_EQ(inverse.size(), 700);
    EXPECT_EQ(inverse.find(-699), 699);
    EXPECT_EQ(delegate::read(sum[0]), 699 * 700 / 2);
    EXPECT_EQ(delegate::read(sum[1]), 699 * 700 / 2);
    EXPECT_EQ(map.find(350), 700);
    auto gone = sum;
    gone.destroy();
    map.destroy();
    inverse.destroy();
  });
}

TEST(GlobalHashMap, RefusesToChangeItsKeysUnderForall) {
  test::on_machines([] {
    auto map = GlobalHashMap<std::int64_t, std::int64_t>::create();
    forall(0, 100, [=](std::int64_t i) { map.async_insert(i, i); });
    const auto expect_refused = [](auto change) {
      try {
        change();
        ADD_FAILURE() << "was allowed";
      } catch (const RemoteError& error) {
        EXPECT_EQ(error.type_name(), "grappa::UsageError");
        EXPECT_NE(error.message().find("while forall goes through"), std::string::npos);
      }
    };
    // Keys that live where the body runs, so that the loop there has begun for sure.
    expect_refused([&] {
      map.forall([=](const std::int64_t& key, std::int64_t&) {
        std::int64_t fresh = 1000 + key;
        while (map.home(fresh) != this_core()) fresh += 1000;
        map.insert(fresh, 1);
      });
    });
    expect_refused(
        [&] { map.forall([=](const std::int64_t& key, std::int64_t&) { map.erase(key); }); });
    // Values may change.
    map.forall([=](const std::int64_t& key, std::int64_t&) { map.upsert(key, 1, std::plus<>{}); });
    EXPECT_EQ(map.size(), 100);
    EXPECT_EQ(map.find(41), 42);
    map.destroy();
  });
}

// ---- errors

TEST(GlobalHashMap, RefusesMisuse) {
  test::on_machines([] {
    using Map = GlobalHashMap<std::string, std::int64_t>;
    EXPECT_THROW(static_cast<void>(Map::create(-1)), UsageError);
    EXPECT_THROW(static_cast<void>(Map::create(std::int64_t{1} << 44)), RemoteError);
    EXPECT_THROW(static_cast<void>(Map::create(std::int64_t{1} << 46)), RemoteError);
    EXPECT_THROW(static_cast<void>(Map::create(std::numeric_limits<std::int64_t>::max())),
                 UsageError);
    auto map = Map::create();
    const std::string too_long(2047, 'x');
    EXPECT_THROW(map.async_upsert(too_long, 1, std::plus<>{}), UsageError);
    EXPECT_EQ(map.size(), 0);
    map.destroy();
  });
}

TEST(GlobalHashMap, RefusesPointersInValuesAndUpdatesWhereAllIsScanned) {
  struct Link {
    const int* to;
  };
  Config config = test::threads(2);
  config.scan_payloads = true;
  run(config, [] {
    int of_task = 0;
    auto map = GlobalHashMap<std::int64_t, Link>::create();
    const Link link{&of_task};
    EXPECT_THROW(map.insert(1, link), UsageError);
    EXPECT_THROW(map.insert_or_assign(1, link), UsageError);
    EXPECT_THROW(map.async_insert(1, link), UsageError);
    const auto count = [&of_task](Link&, const Link&) { ++of_task; };
    EXPECT_THROW(map.upsert(1, Link{nullptr}, count), UsageError);
    EXPECT_THROW(map.async_upsert(1, Link{nullptr}, count), UsageError);
    EXPECT_EQ(map.size(), 0);
    map.destroy();
  });
}

TEST(GlobalHashMap, ErrorsOfCombinersReachTheCaller) {
  test::on_machines([] {
    auto map = GlobalHashMap<std::int64_t, std::int64_t>::create();
    const auto refuse = [](std::int64_t, std::int64_t) -> std::int64_t {
      throw std::domain_error("no");
    };
    forall(0, 50, [=](std::int64_t i) { map.async_upsert(i, 1, refuse); });  // all new: not called
    for (std::int64_t key = 0; key < 50; ++key) {
      EXPECT_THROW(map.upsert(key, 1, refuse), RemoteError);
    }
    try {
      forall(0, 50, [=](std::int64_t i) { map.async_upsert(i, 1, refuse); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const RemoteError& error) {
      EXPECT_EQ(error.type_name(), "std::domain_error");
      EXPECT_EQ(error.others(), 49u);
    }
    map.destroy();
  });
}

}  // namespace
}  // namespace grappa
