// Keys, values and elements that are not plain bytes, in every container that takes them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/container/counting_map.hpp"
#include "grappa/container/global_bag.hpp"
#include "grappa/container/global_hash_map.hpp"
#include "grappa/container/global_hash_set.hpp"
#include "grappa/container/global_multi_map.hpp"
#include "grappa/container/global_queue.hpp"
#include "grappa/container/global_stack.hpp"
#include "grappa/container/global_vector.hpp"
#include "grappa/container/test_combining.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

/// A class that lists its members.
struct Person {
  std::string name;
  std::vector<int> years;
  static constexpr auto kMembers = std::tuple(&Person::name, &Person::years);
  friend auto operator<=>(const Person&, const Person&) = default;
};

/// Some short, some longer than a small buffer.
std::string text(std::int64_t i) {
  return std::string(static_cast<std::size_t>(i % 50), 'x') + std::to_string(i);
}
Person person(std::int64_t i) {
  return {text(i), std::vector<int>(static_cast<std::size_t>(i % 4), static_cast<int>(i))};
}
/// What a text says that text() has made.
std::int64_t number(const std::string& made) {
  return std::stoll(made.substr(made.find_last_of('x') + 1));
}

TEST(PayloadContainers, MapsKeepTextsByClasses) {
  test::on_machines_either_way([] {
    using Map = GlobalHashMap<Person, std::string>;
    const Owned<Map> owned = Map::create();
    const Map map = *owned;
    EXPECT_TRUE(map.insert(person(1), "one"));
    EXPECT_FALSE(map.insert(person(1), "another"));
    EXPECT_EQ(map.find(person(1)), "one");
    EXPECT_FALSE(map.insert_or_assign(person(1), "uno"));
    const auto append = [](std::string& old, const std::string& more) { old += more; };
    EXPECT_EQ(map.upsert(person(1), " due", append), "uno due");
    EXPECT_TRUE(map.visit(person(1), [](std::string& value) { value += " tre"; }));
    EXPECT_EQ(
        map.visit_or_insert(person(2), "two", [](std::string& value) { return value += "!"; }),
        "two!");
    EXPECT_TRUE(map.contains(person(2)));
    auto found = map.issue_find(person(1));
    EXPECT_EQ(found.complete(), "uno due tre");
    EXPECT_TRUE(map.erase(person(2)));
    EXPECT_EQ(map.find(person(2)), std::nullopt);

    map.clear();
    forall(0, 200, [map, append](std::int64_t i) {
      map.async_upsert(person(i % 50), "a", append);
      map.async_insert(person(100 + i), text(i));
      map.async_insert_or_assign(person(1000), "same");
      map.async_visit_or_insert(person(1001), "", [](std::string& value) { value += "b"; });
    });
    forall(100, 200, [map](std::int64_t i) { map.async_erase(person(100 + i)); });
    EXPECT_EQ(map.size(), 152);
    EXPECT_EQ(map.find(person(49)), "aaaa");
    EXPECT_EQ(map.find(person(1000)), "same");
    EXPECT_EQ(map.find(person(1001)), std::string(200, 'b'));
    const std::vector<Person> asked{person(110), person(49), person(110), person(5000)};
    std::vector<std::optional<std::string>> answers(4);
    map.find(asked, answers);
    EXPECT_EQ(answers[0], text(10));
    EXPECT_EQ(answers[1], "aaaa");
    EXPECT_EQ(answers[2], text(10));
    EXPECT_EQ(answers[3], std::nullopt);
    EXPECT_EQ(map.erase_if([](const Person&, const std::string& value) { return value != "aaaa"; }),
              102);
    const std::vector<Person> keys = map.gather_keys();
    EXPECT_EQ(keys.size(), 50u);
    EXPECT_EQ(map.top_k(1).front().first, *std::ranges::min_element(keys));
  });
}

TEST(PayloadContainers, SetsAndCountsTakeKeysOfManyTypes) {
  test::on_machines_either_way([] {
    using Key = std::pair<std::string, std::vector<int>>;
    const Owned<GlobalHashSet<Key>> set = GlobalHashSet<Key>::create();
    const Owned<CountingMap<std::vector<std::string>>> counts =
        CountingMap<std::vector<std::string>>::create();
    forall(0, 300, [set = *set, counts = *counts](std::int64_t i) {
      set.async_insert({text(i % 30), {static_cast<int>(i % 2)}});
      counts.async_add({text(i % 10), text(i % 5)});
    });
    EXPECT_EQ(set->size(), 30);
    EXPECT_TRUE(set->contains({text(7), {1}}));
    EXPECT_FALSE(set->contains({text(7), {0}}));
    EXPECT_EQ(counts->size(), 10);
    EXPECT_EQ(counts->count({text(7), text(2)}), 30);
    EXPECT_EQ(counts->add({text(7), text(2)}, 5), 35);
    EXPECT_EQ(counts->erase_if([](const auto& key, std::int64_t) { return key[0] == key[1]; }), 5);
    EXPECT_EQ(counts->top_k(1).front().second, 35);
  });
}

TEST(PayloadContainers, MultiMapsKeepGroupsOfClasses) {
  test::on_machines([] {
    using Multi = GlobalMultiMap<std::string, Person>;
    const Owned<Multi> owned = Multi::create();
    const Multi map = *owned;
    EXPECT_EQ(map.insert(text(1), person(1)), 1);
    EXPECT_EQ(map.insert(text(1), person(2)), 2);
    EXPECT_EQ(map.find(text(1)), (std::vector<Person>{person(1), person(2)}));
    forall(0, 100, [map](std::int64_t i) { map.async_insert(text(i % 5 + 10), person(i)); });
    EXPECT_EQ(map.count(text(12)), 20);
    CompletionEvent done;
    map.async_visit_group(done, text(12), [](std::vector<Person>& group) { group.resize(3); });
    map.async_erase(done, text(11));
    done.wait();
    EXPECT_EQ(map.size(), 65);
    EXPECT_EQ(map.erase_if([](const std::string&, const std::vector<Person>& group) {
      return group.size() < 4;
    }),
              2);
    EXPECT_EQ(map.gather_keys().size(), 3u);
    std::int64_t keys = 0;
    map.forall([to = GlobalAddress<std::int64_t>::of_local(&keys)](
                   const std::string&, std::vector<Person>&) { delegate::async::increment(to); });
    EXPECT_EQ(keys, 3);
  });
}

/// Values that go through a list: from every core, one and several at a time, to takers who wait.
template <class List, class Put, class PutAll, class Take>
void expect_all_taken(const Put& put, const PutAll& put_all, const Take& take) {
  test::on_machines_either_way([=] {
    static constexpr std::int64_t kEach = 60;
    const Owned<List> list = List::create();
    const Owned<GlobalHashSet<std::int64_t>> taken = GlobalHashSet<std::int64_t>::create();
    CompletionEvent takers;
    CompletionEvent putters;
    test::for_each_core([&](int core) {
      for (int task = 0; task < 3; ++task) {
        spawn_on(takers, core, [list = *list, taken = *taken, take] {
          while (const std::optional<Person> value = take(list)) {
            const std::int64_t i = number(value->name);
            EXPECT_EQ(*value, person(i));
            EXPECT_TRUE(taken.insert(i));
          }
        });
      }
      spawn_on(putters, core, [list = *list, put, put_all, first = core * kEach] {
        for (std::int64_t i = first; i < first + kEach; i += 4) {
          put(list, person(i));
          const std::vector<Person> several{person(i + 1), person(i + 2), person(i + 3)};
          put_all(list, several, i % 8 == 0);
        }
      });
    });
    putters.wait();
    list->close();
    takers.wait();
    EXPECT_EQ(taken->size(), core_count() * kEach);
  });
}

TEST(PayloadContainers, QueuesTakeClasses) {
  using Queue = GlobalQueue<Person>;
  expect_all_taken<Queue>([](const Queue& queue, const Person& value) { queue.enqueue(value); },
                          [](const Queue& queue, std::span<const Person> values, bool wait) {
                            wait ? queue.enqueue(values) : queue.async_enqueue(values);
                          },
                          [](const Queue& queue) { return queue.dequeue(); });
}

TEST(PayloadContainers, StacksTakeClasses) {
  using Stack = GlobalStack<Person>;
  expect_all_taken<Stack>([](const Stack& stack, const Person& value) { stack.async_push(value); },
                          [](const Stack& stack, std::span<const Person> values, bool wait) {
                            wait ? stack.push(values) : stack.async_push(values);
                          },
                          [](const Stack& stack) { return stack.pop(); });
  test::on_machines_either_way([] {
    const Owned<Stack> stack = Stack::create();
    on_all_cores([stack = *stack] {
      stack.push(std::vector<Person>{person(1), person(2), person(3)});
      std::vector<Person> out(2);
      EXPECT_EQ(stack.try_pop(out), 2u);
    });
    EXPECT_EQ(stack->size(), core_count());
  });
}

TEST(PayloadContainers, BagsTakeTextsFromAllCores) {
  test::on_machines_either_way([] {
    using Bag = GlobalBag<std::string>;
    const Owned<Bag> bag = Bag::create();
    bag->local_add(text(2000));
    on_all_cores([bag = *bag] {
      for (std::int64_t i = 0; i < 1500; ++i)
        if (this_core() == 0) bag.local_add(text(i));
    });
    bag->balance();
    on_all_cores([bag = *bag] { EXPECT_LE(bag.local_size(), 1501 / core_count() + 1); });
    bag->shuffle();
    EXPECT_EQ(bag->size(), 1501);
    std::set<std::string> all;
    while (const auto value = bag->take()) all.insert(*value);
    EXPECT_EQ(all.size(), 1501u);
    EXPECT_TRUE(all.contains(text(2000)));
  });
}

TEST(PayloadContainers, VectorsTakeTexts) {
  test::on_machines_either_way([] {
    using Vector = GlobalVector<std::string>;
    const Owned<Vector> owned = Vector::create();
    const Vector vector = *owned;
    forall(0, 1000, [vector](std::int64_t i) { vector.async_push(text(i)); });
    const std::vector<std::string> several{text(1), text(2)};
    EXPECT_EQ(vector.append(several), 1000);
    EXPECT_EQ(delegate::read(vector[1001]), text(2));
    delegate::write(vector[1001], text(3));
    EXPECT_EQ(vector.pop(), text(3));
    EXPECT_EQ(vector.push(text(4)), 1001);
    std::int64_t sum = 0;
    vector.forall([to = GlobalAddress<std::int64_t>::of_local(&sum)](const std::string& value) {
      delegate::async::increment(to, number(value));
    });
    EXPECT_EQ(sum, 499'500 + 1 + 4);
    vector.resize(3);
    vector.resize(500);
    EXPECT_FALSE(delegate::read(vector[2]).empty());
    EXPECT_EQ(delegate::read(vector[3]), "");
    EXPECT_EQ(vector.size(), 500);
    vector.clear();
    EXPECT_EQ(vector.pop(), std::nullopt);
  });
}

}  // namespace
}  // namespace grappa
