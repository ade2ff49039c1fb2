// Containers without keys that are no lists: vectors, counters, and united sets of numbers.

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "container_programs.hpp"
#include "grappa/grappa.hpp"

namespace soak {
namespace {

using namespace grappa;
using Number = std::int64_t;
using Numbers = std::vector<Number>;

template <class T>
std::size_t place(T i) {
  return static_cast<std::size_t>(i);
}
Numbers sorted(Numbers numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

template <class Program>
void run_phases(const Draw& draw, int phases) {
  Program program(draw);
  for (int phase = 0; phase < phases; ++phase) {
    program.step(Draw{draw(static_cast<std::uint64_t>(phase), 1)});
    program.compare();
  }
}

class VectorProgram {
 public:
  explicit VectorProgram(const Draw& draw)
      : vector_(GlobalVector<Number>::create(draw.below(2, 0) * 700)) {}

  void step(const Draw& ops) {
    switch (ops.below(8, 0, 1)) {
      case 0:
        return append(ops);
      case 1:
        return push_and_pop(ops, ops.below(1500, 0, 2), 0);
      case 2:
        return push_and_pop(ops, ops.below(200, 0, 2), ops.below(200, 0, 3));
      case 3:
        return pop(ops);
      case 4: {
        const Number n = ops.below(2 * std::ssize(model_) + 10, 0, 4);
        vector_->resize(n);
        return model_.resize(place(n));
      }
      case 5:
        vector_->sort();
        std::ranges::sort(model_);
        return;
      case 6:
        return change(ops);
      default: {
        const Owned<GlobalArray<Number>> array = vector_->to_array();
        vector_->clear();
        require_equal(vector_->size(), 0, "the size of what was cleared");
        return vector_->assign(*array);
      }
    }
  }

  void compare() const {
    require_equal(vector_->size(), std::ssize(model_), "the size");
    const Numbers values = content();
    require_equal(values.size(), model_.size(), "how many elements there are");
    for (std::size_t i = 0; i < model_.size(); ++i)
      require_equal(values[i], model_[i], "element " + std::to_string(i));
  }

 private:
  Numbers content() const {
    const Owned<GlobalArray<Number>> array = vector_->to_array();
    Numbers values(place(array->size()));
    read_span(*array, 0, std::span(values));
    return values;
  }

  void append(const Draw& ops) {
    const Number tasks = ops.below(150, 0, 2);
    const auto count = [ops](Number i) {
      return ops.below(5, i, 3) == 0 ? ops.below(2000, i, 4) : 1;
    };
    const auto value = [](Number i, Number k) { return i * 10'000 + k; };
    Numbers firsts(place(tasks) + 1);
    forall(0, tasks, {.grain = 1},
           [=, vector = *vector_, to = GlobalAddress<Number>::of_local(firsts.data())](Number i) {
             Numbers some;
             for (Number k = 0; k < count(i); ++k) some.push_back(value(i, k));
             const Number first = some.size() == 1 ? vector.push(some[0]) : vector.append(some);
             delegate::async::write(to + i, first);
           });
    const Number before = std::ssize(model_);
    Number all = 0;
    for (Number i = 0; i < tasks; ++i) all += count(i);
    model_.resize(place(before + all), -1);
    for (Number i = 0; i < tasks; ++i) {
      for (Number k = 0; k < count(i); ++k) {
        const Number at = firsts[place(i)] + k;
        require_equal(at >= before && at < before + all, true, "whether an index is a new one");
        require_equal(model_[place(at)], -1, "whether an index is nobody else's");
        model_[place(at)] = value(i, k);
      }
    }
  }

  /// At the same time: of what is popped, and what is there at the end, each was there or pushed.
  void push_and_pop(const Draw& ops, Number pushes, Number pops) {
    Numbers popped(place(pops) + 1, -1);
    const auto to = GlobalAddress<Number>::of_local(popped.data());
    forall(0, pushes + pops, {.grain = 1 + ops.below(20, 0, 5)}, [=, vector = *vector_](Number i) {
      if (i < pushes) return vector.async_push(i);
      if (const auto value = vector.pop()) delegate::async::write(to + (i - pushes), *value);
    });
    std::erase(popped, -1);
    const Numbers before = std::exchange(model_, content());
    if (pops == 0 && !std::equal(before.begin(), before.end(), model_.begin()))
      fail("what was there has changed");
    Numbers expected = before;
    for (Number i = 0; i < pushes; ++i) expected.push_back(i);
    popped.insert(popped.end(), model_.begin(), model_.end());
    if (sorted(popped) != sorted(expected))
      fail("what was popped and what is left are not what there was");
  }

  /// The last ones, by as many tasks.
  void pop(const Draw& ops) {
    const Number tasks = ops.below(300, 0, 3);
    Numbers popped(place(tasks) + 1, -1);
    forall(0, tasks, {.grain = 1},
           [vector = *vector_, to = GlobalAddress<Number>::of_local(popped.data())](Number i) {
             if (const auto value = vector.pop()) delegate::async::write(to + i, *value);
           });
    std::erase(popped, -1);
    const Number count = std::min(tasks, std::ssize(model_));
    const Numbers last(model_.end() - count, model_.end());
    model_.resize(model_.size() - place(count));
    if (sorted(popped) != sorted(last)) fail("what was popped is not what was last");
  }

  void change(const Draw& ops) {
    const Number n = std::ssize(model_);
    const Number changes = n == 0 ? 0 : ops.below(500, 0, 2);
    forall(0, changes, [=, vector = *vector_](Number i) {
      delegate::async::increment(vector[ops.below(n, i, 3)], i);
    });
    for (Number i = 0; i < changes; ++i) model_[place(ops.below(n, i, 3))] += i;
    vector_->forall([](Number i, Number& value) { value += i % 7; });
    for (Number i = 0; i < n; ++i) model_[place(i)] += i % 7;
  }

  Owned<GlobalVector<Number>> vector_;
  Numbers model_;
};

class CounterProgram {
 public:
  explicit CounterProgram(const Draw& draw)
      : model_(draw.below(1000, 0)), counter_(GlobalCounter::create(model_)) {}

  void step(const Draw& ops) {
    const Number tasks = ops.below(400, 0, 2);
    switch (ops.below(3, 0, 1)) {
      case 0: {
        const Number amount = 1 + ops.below(5, 0, 3);
        Number sum = 0;
        forall(0, tasks, {.grain = 1 + ops.below(9, 0, 4)},
               [=, counter = *counter_, to = GlobalAddress<Number>::of_local(&sum)](Number) {
                 delegate::async::increment(to, counter.fetch_add(amount));
               });
        Number expected = 0;
        for (Number i = 0; i < tasks; ++i) expected += std::exchange(model_, model_ + amount);
        return require_equal(sum, expected, "the sum of the tickets");
      }
      case 1:
        forall(0, tasks, [=, counter = *counter_](Number i) {
          i % 3 == 0 ? counter.add(i) : counter.async_add(ops.below(100, i, 3));
        });
        for (Number i = 0; i < tasks; ++i) model_ += i % 3 == 0 ? i : ops.below(100, i, 3);
        return;
      default: {
        const Number next = ops.below(1000, 0, 3);
        require_equal(counter_->exchange(next), std::exchange(model_, next), "what it was");
      }
    }
  }
  void compare() const { require_equal(counter_->value(), model_, "the value"); }

 private:
  Number model_;
  Owned<GlobalCounter> counter_;
};

class SetsProgram {
 public:
  explicit SetsProgram(const Draw& draw)
      : least_(place(1 + draw.below(400, 0))), sets_(UnionFind::create(std::ssize(least_))) {
    std::iota(least_.begin(), least_.end(), 0);
  }

  void step(const Draw& ops) {
    if (ops.below(8, 0, 1) == 0) {
      sets_->clear();
      return std::iota(least_.begin(), least_.end(), 0);
    }
    const Number n = std::ssize(least_);
    const Number pairs = ops.below(n, 0, 2);
    const auto one = [=](Number i) { return ops.below(n, i, 3); };
    const auto other = [=](Number i) { return ops.below(n, i, 4); };
    forall(0, pairs, {.grain = 1 + ops.below(9, 0, 5)}, [=, sets = *sets_](Number i) {
      i % 2 == 0 ? sets.unite(one(i), other(i)) : sets.async_unite(one(i), other(i));
    });
    for (Number i = 0; i < pairs; ++i) {
      const auto [low, high] = std::minmax({least_[place(one(i))], least_[place(other(i))]});
      std::ranges::replace(least_, Number{high}, Number{low});
    }
    if (ops.below(2, 0, 6) == 0) sets_->compress();
  }

  void compare() const {
    std::uint64_t sum = 0;
    const auto to = GlobalAddress<std::uint64_t>::of_local(&sum);
    forall(0, std::ssize(least_), {.grain = 8}, [sets = *sets_, to](Number i) {
      delegate::async::increment(to, hash_number(static_cast<std::uint64_t>(i)) *
                                         static_cast<std::uint64_t>(sets.find(i) + 1));
    });
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < least_.size(); ++i)
      expected += hash_number(i) * static_cast<std::uint64_t>(least_[i] + 1);
    require_equal(sum, expected, "a digest of what find returns");
    Numbers firsts = sorted(least_);
    const auto repeated = std::ranges::unique(firsts);
    firsts.erase(repeated.begin(), repeated.end());
    require_equal(sets_->set_count(), std::ssize(firsts), "how many sets there are");
    const Owned<CountingMap<Number>> sizes = sets_->component_sizes();
    for (const Number first : firsts)
      require_equal(sizes->count(first), std::ranges::count(least_, first), "the size of a set");
  }

 private:
  Numbers least_;  // of each one's set
  Owned<UnionFind> sets_;
};

constexpr std::array kPrograms{
    ContainerProgram{"GlobalVector", [](const Draw& draw) { run_phases<VectorProgram>(draw, 12); }},
    ContainerProgram{"GlobalCounter",
                     [](const Draw& draw) { run_phases<CounterProgram>(draw, 12); }},
    ContainerProgram{"UnionFind", [](const Draw& draw) { run_phases<SetsProgram>(draw, 6); }},
};

}  // namespace

std::span<const ContainerProgram> other_programs() { return kPrograms; }

}  // namespace soak
