// Memory that runs out: a UsageError that says by name what was too big, after which everything
// that was there still is, and more can be put.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "grappa/container/array_sort.hpp"
#include "grappa/container/cache.hpp"
#include "grappa/container/counting_map.hpp"
#include "grappa/container/global_bag.hpp"
#include "grappa/container/global_hash_set.hpp"
#include "grappa/container/global_multi_map.hpp"
#include "grappa/container/global_queue.hpp"
#include "grappa/container/global_stack.hpp"
#include "grappa/container/global_vector.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/container/test_combining.hpp"
#include "grappa/container/union_find.hpp"
#include "grappa/parallel/test_memory_limit.hpp"

namespace grappa {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Words = GlobalArray<std::int64_t>;

/// `size`, if there is one, counts what put() has put.
struct Growing {
  const char* name;
  std::function<void()> put;
  std::function<std::int64_t()> size = nullptr;
};

void expect_refused(const Growing& container) {
  SCOPED_TRACE(container.name);
  on_all_cores([] { test::use_up_memory(); });
  std::string error;
  std::int64_t there = 0;
  for (; error.empty() && there < 100'000; ++there) error = test::usage_error_of(container.put);
  on_all_cores([] { test::free_up_memory(); });
  --there;
  EXPECT_THAT(error, AllOf(HasSubstr(std::string(container.name) + ": "),
                           HasSubstr("GiB asked, this machine has")));
  const auto expect_size = [&](std::int64_t size) {
    if (container.size) {
      EXPECT_EQ(container.size(), size);
    }
  };
  expect_size(there);
  container.put();
  expect_size(there + 1);
}

/// In one task, on each core: some of them are far from where the values are.
void on_each_core(const std::function<void()>& body) {
  for (int core = 0; core < core_count(); ++core) {
    CompletionEvent done;
    spawn_on(done, core, [&body] { body(); });
    done.wait();
  }
}

TEST(OutOfMemory, IsAUsageErrorByTheNameOfTheContainer) {
  for (Config config : {test::threads(2), test::cluster(2)}) {
    config.scan_payloads = false;  // the closures refer to this test
    for (const bool combining : {true, false}) {
      config.combining = combining;
      run(config, [] {
        on_each_core([] {
          std::int64_t n = 0;
          const Owned stack = GlobalStack<std::int64_t>::create();
          const Owned queue = GlobalQueue<std::int64_t>::create();
          const Owned bag = GlobalBag<std::int64_t>::create();
          const Owned vector = GlobalVector<std::int64_t>::create();
          const Owned map = GlobalHashMap<std::int64_t, std::int64_t>::create();
          const Owned set = GlobalHashSet<std::int64_t>::create();
          const Owned counts = CountingMap<std::int64_t>::create();
          const Owned keys = GlobalMultiMap<std::int64_t, std::int64_t>::create();
          const Owned values = GlobalMultiMap<std::int64_t, std::int64_t>::create();
          values->insert(1, 0);
          const std::vector<Growing> all = {
              {"GlobalStack", [&] { stack->push(1); }, [&] { return stack->size(); }},
              {"GlobalQueue", [&] { queue->enqueue(1); }, [&] { return queue->size(); }},
              {"GlobalQueue",
               [&] {
                 CompletionEvent done;
                 queue->async_enqueue(done, 1);
                 done.wait();
               }},
              {"GlobalBag", [&] { bag->local_add(1); }, [&] { return bag->size(); }},
              {"GlobalVector", [&] { vector->push(1); }, [&] { return vector->size(); }},
              {"UnionFind", [] { UnionFind::create(10).destroy(); }},
              {"GlobalHashMap", [&] { map->insert(n++, 1); }},
              {"GlobalHashSet", [&] { set->insert(n++); }},
              {"CountingMap", [&] { counts->add(n++); }},
              {"GlobalMultiMap", [&] { keys->insert(n++, 1); }},
              {"GlobalMultiMap", [&] { values->insert(1, 1); }, [&] { return values->size() - 1; }},
              {"GlobalArray", [] { Words::create(1).destroy(); }},
              {"Replica", [] { Replica<std::int64_t>::create(1).destroy(); }},
          };
          for (const Growing& container : all) expect_refused(container);
        });
      });
    }
  }
}

TEST(OutOfMemory, LeavesTheValuesOfABagToWhoHasThem) {
  test::on_machines_either_way([] {
    const Owned bag = GlobalBag<std::int64_t>::create();
    CompletionEvent added;
    spawn_on(added, core_count() - 1,
             [bag = *bag] { bag.local_add(std::vector<std::int64_t>(10'000, 7)); });
    added.wait();
    on_all_cores([] { test::use_up_memory(); });
    if (core_count() > 1) {
      EXPECT_THAT(test::usage_error_of([&] { bag->take(); }), HasSubstr("GlobalBag: "));
      EXPECT_THAT(test::usage_error_of([&] { bag->balance(); }), HasSubstr("GlobalBag: "));
    }
    EXPECT_THAT(test::usage_error_of([&] { bag->shuffle(); }), HasSubstr("GlobalBag: "));
    on_all_cores([] { test::free_up_memory(); });
    EXPECT_EQ(bag->size(), 10'000);
    bag->shuffle();
    EXPECT_EQ(bag->size(), 10'000);
  });
}

/// Runs f() at the core, and waits for it.
void at_core(int core, const std::function<void()>& f) {
  CompletionEvent done;
  spawn_on(done, core, [&f] { f(); });
  done.wait();
}

/// Of requests that combine at the other core only that of put_many is refused, for which there is
/// no memory at home.
void expect_own_outcomes(int home, const std::function<void()>& put_many,
                         const std::function<void()>& put_one, const std::function<bool()>& take) {
  at_core(home, [] { test::use_up_memory(); });
  std::string of_many;
  std::string of_others;
  bool taken = false;
  at_core(1 - home, [&] {
    CompletionEvent together;
    spawn(together, [&] { of_many = test::usage_error_of(put_many); });
    spawn(together, [&] { of_others += test::usage_error_of(put_one); });
    spawn(together, [&] { of_others += test::usage_error_of([&] { taken = take(); }); });
    together.wait();
  });
  at_core(home, [] { test::free_up_memory(); });
  EXPECT_THAT(of_many, HasSubstr("GiB asked"));
  EXPECT_EQ(of_others, "");
  EXPECT_TRUE(taken);
}

TEST(OutOfMemory, IsTheErrorOfThatRequestAloneWhichItIsFor) {
  Config config = test::cluster(2);
  config.scan_payloads = false;  // the closures refer to this test
  run(config, [] {
    const std::vector<std::int64_t> many(1000, 7);
    const Owned queue = GlobalQueue<std::int64_t>::create();
    const Owned vector = GlobalVector<std::int64_t>::create();
    queue->enqueue(1);
    const int home = queue->local_size() == 1 ? 0 : 1;
    expect_own_outcomes(
        home, [&] { queue->enqueue(many); }, [&] { queue->enqueue(2); },
        [&] { return queue->try_dequeue() == 1; });
    EXPECT_EQ(queue->try_dequeue(), 2);
    at_core(home, [] { test::use_up_memory(); });
    at_core(1 - home, [&] {
      CompletionEvent first;
      CompletionEvent second;
      queue->async_enqueue(first, 3);
      queue->async_enqueue(second, many);
      EXPECT_EQ(test::usage_error_of([&] { first.wait(); }), "");
      EXPECT_THAT(test::usage_error_of([&] { second.wait(); }), HasSubstr("GiB asked"));
    });
    at_core(home, [] { test::free_up_memory(); });
    EXPECT_EQ(queue->try_dequeue(), 3);
    vector->append(many);
    expect_own_outcomes(  // the homes of containers take turns
        1 - home, [&] { vector->append(many); }, [&] { vector->push(2); },
        [&] { return vector->pop().has_value(); });
    EXPECT_EQ(vector->size(), 1000);
  });
}

TEST(OutOfMemory, IsSeenBeforeManyValuesArePutAtOnce) {
  test::on_machines_either_way([] {
    // Nobody looks at the values.
    const std::int64_t one = 1;
    const std::span<const std::int64_t> many(&one, std::size_t{1} << 43);
    const Owned stack = GlobalStack<std::int64_t>::create();
    const Owned queue = GlobalQueue<std::int64_t>::create();
    const Owned bag = GlobalBag<std::int64_t>::create();
    const Owned vector = GlobalVector<std::int64_t>::create();
    EXPECT_THAT(test::usage_error_of([&] { bag->local_add(many); }), HasSubstr("GlobalBag: "));
    EXPECT_THAT(test::usage_error_of([&] { vector->append(many); }), HasSubstr("GlobalVector: "));
    EXPECT_THAT(test::usage_error_of([&] { vector->resize(std::ssize(many)); }),
                HasSubstr("GlobalVector: "));
    EXPECT_THAT(test::usage_error_of([&] { (void)GlobalVector<int>::create(INT64_MAX); }),
                HasSubstr("GlobalVector: "));
    EXPECT_THAT(test::usage_error_of([&] { stack->push(many); }), HasSubstr("GlobalStack: "));
    EXPECT_THAT(test::usage_error_of([&] { queue->enqueue(many); }), HasSubstr("GlobalQueue: "));
    EXPECT_EQ(stack->size() + queue->size() + bag->size() + vector->size(), 0);
  });
}

TEST(OutOfMemory, IsSeenBeforeASortAndALargeCopy) {
  run(test::cluster(2), [] {
    const Owned<Words> array = Words::create(8 << 20);
    const auto expect_named = [](const char* name, const std::function<void()>& use) {
      test::use_up_memory();
      EXPECT_THAT(test::usage_error_of(use), HasSubstr(name));
      test::free_up_memory();
      use();
    };
    expect_named("sort: ", [&] { sort(*array); });
    expect_named("CacheRO: ", [&] { CacheRO<std::int64_t>(*array, 0, array->size()); });
  });
}

}  // namespace
}  // namespace grappa
