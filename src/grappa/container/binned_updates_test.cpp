#include "grappa/container/binned_updates.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

// Less than a bin; whole bins on each of 1, 2 or 4 cores; bins that end within a core's part.
constexpr std::int64_t kBinnedSizes[] = {1, 1000, std::int64_t{1} << 17, 100'003};
constexpr std::int64_t kUpdates = 60'000;

std::int64_t index_of(std::int64_t i, std::int64_t n) { return i * 7919 % n; }

/// body(array size) in runs of all shapes, with room for few updates, so that bins are drained
/// often.
template <class F>
void for_each_binned_size(F body) {
  for (Config config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    config.bin_bytes = 1 << 20;
    run(config, [&] {
      for (const std::int64_t n : kBinnedSizes) {
        SCOPED_TRACE(testing::Message() << n << " elements");
        body(n);
      }
    });
  }
}

/// Elements that are not what `value_of(i)`, of each update i, adds up to.
template <class ValueOf>
std::int64_t wrong_elements(GlobalArray<std::int64_t> array, std::int64_t rounds,
                            ValueOf value_of) {
  std::vector<std::int64_t> expected(static_cast<std::size_t>(array.size()));
  for (std::int64_t i = 0; i < kUpdates; ++i)
    expected[static_cast<std::size_t>(index_of(i, array.size()))] += rounds * value_of(i);
  std::vector<std::int64_t> indices(expected.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i);
  std::vector<std::int64_t> found(expected.size());
  array.gather(indices, found);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != expected[i];
  return wrong;
}

TEST(BinnedUpdates, AllAreAppliedWhenTheLoopHasEnded) {
  for_each_binned_size([](std::int64_t n) {
    auto array = GlobalArray<std::int64_t>::create(n);
    auto bins = BinnedIncrements<std::int64_t>::create(array);
    for (int round = 1; round <= 2; ++round) {
      forall(0, kUpdates, [=](std::int64_t i) { bins.increment(index_of(i, n)); });
      EXPECT_EQ(wrong_elements(array, round, [](std::int64_t) { return 1; }), 0);
    }
    bins.destroy();
    array.destroy();
  });
}

TEST(BinnedUpdates, CarryValues) {
  for_each_binned_size([](std::int64_t n) {
    auto array = GlobalArray<std::int64_t>::create(n);
    auto bins = BinnedAdds<std::int64_t>::create(array);
    on_all_cores([=] {
      for (std::int64_t i = this_core(); i < kUpdates; i += core_count())
        bins.update(index_of(i, n), {i});
    });
    EXPECT_EQ(wrong_elements(array, 1, [](std::int64_t i) { return i; }), 0);
    bins.destroy();
    array.destroy();
  });
}

struct Sum {
  std::int64_t total;
  std::int64_t times;  // how often an update was applied
};
struct AddToSum {
  std::int64_t by;
  void operator()(Sum& sum) const {
    sum.total += by;
    ++sum.times;
  }
  void merge(const AddToSum& next) { by += next.by; }
};

// Most updates are of the first two elements.
TEST(BinnedUpdates, ThoseOfOneElementOfAnotherLocaleBecomeOne) {
  for (const bool combining : {true, false}) {
    for (Config config : test::all_shapes()) {
      SCOPED_TRACE(test::describe(config) + (combining ? "" : ", without combining"));
      config.combining = combining;
      run(config, [combining] {
        constexpr std::int64_t kSize = 5000;
        auto array = GlobalArray<Sum>::create(kSize);
        auto bins = BinnedUpdates<Sum, AddToSum>::create(array);
        const auto element = [](std::int64_t i) { return i % 10 == 0 ? i / 10 % kSize : i % 2; };
        on_all_cores([=] {
          for (std::int64_t i = 0; i < kUpdates; ++i) bins.update(element(i), {i});
        });
        std::vector<std::int64_t> expected(kSize);
        for (std::int64_t i = 0; i < kUpdates; ++i)
          expected[static_cast<std::size_t>(element(i))] += core_count() * i;
        std::int64_t applied = 0;
        for (std::int64_t i = 0; i < kSize; ++i) {
          const Sum sum = delegate::read(array[i]);
          ASSERT_EQ(sum.total, expected[static_cast<std::size_t>(i)]) << i;
          applied += sum.times;
        }
        // Those of the locale of the first elements come one by one.
        const std::int64_t one_by_one = cores_per_locale() * kUpdates;
        const std::int64_t all = core_count() * kUpdates;
        if (combining && locale_count() > 1) {
          EXPECT_LT(applied, one_by_one + (all - one_by_one) / 4);
        } else {
          EXPECT_EQ(applied, all);
        }
        bins.destroy();
        array.destroy();
      });
    }
  }
}

TEST(BinnedUpdates, BelongToTheEventOfWhoeverMadeThem) {
  run(test::all_shapes().front(), [] {
    auto array = GlobalArray<std::int64_t>::create(1000);
    auto bins = BinnedIncrements<std::int64_t>::create(array);
    CompletionEvent one;
    CompletionEvent other;
    spawn(one, [=] { bins.increment(0); });
    spawn(other, [=] { bins.increment(999); });
    other.wait();
    EXPECT_EQ(delegate::read(array[999]), 1);
    one.wait();
    EXPECT_EQ(delegate::read(array[0]), 1);
    bins.destroy();
    array.destroy();
  });
}

TEST(BinnedUpdates, RefusesOtherDistributions) {
  EXPECT_THROW(run(test::all_shapes().front(),
                   [] {
                     BinnedIncrements<std::int64_t>::create(
                         GlobalArray<std::int64_t>::create(10, Distribution::kCyclic));
                   }),
               UsageError);
}

TEST(BinnedUpdates, RefuseWhatIsOutOfRange) {
  run(test::all_shapes().front(), [] {
    auto array = GlobalArray<std::int64_t>::create(10);
    auto bins = BinnedIncrements<std::int64_t>::create(array);
    EXPECT_THROW(bins.increment(10), UsageError);
    EXPECT_THROW(bins.increment(-1), UsageError);
    bins.destroy();
    array.destroy();
  });
}

TEST(BinnedUpdates, StayWhereTheyAreDestroyedTooEarly) {
  run(test::all_shapes().front(), [] {
    auto array = GlobalArray<std::int64_t>::create(10);
    auto bins = BinnedIncrements<std::int64_t>::create(array);
    CompletionEvent event;
    spawn(event, [bins]() mutable {
      bins.increment(1);
      EXPECT_THROW(bins.destroy(), Error);
    });
    event.wait();
    EXPECT_EQ(delegate::read(array[1]), 1);
    bins.destroy();
    array.destroy();
  });
}

TEST(BinnedUpdates, ThoseOfAnArrayThatWasDestroyedEndTheRun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run(test::all_shapes().front(),
                  [] {
                    auto array = GlobalArray<std::int64_t>::create(10);
                    auto bins = BinnedIncrements<std::int64_t>::create(array);
                    CompletionEvent event;
                    spawn(event, [=]() mutable {
                      bins.increment(1);
                      array.destroy();
                    });
                    event.wait();
                  }),
              testing::ExitedWithCode(2), "BinnedUpdates::update");
}

}  // namespace
}  // namespace grappa
