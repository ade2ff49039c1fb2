// Queues, stacks and bags. Which task gets which value is open; that each value comes out once is
// not, nor the order of those that one task has put one after the other: from a queue they come in
// that order, from a stack (while nobody puts more) in the other one.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "container_programs.hpp"
#include "grappa/grappa.hpp"

namespace soak {
namespace {

using namespace grappa;
using Number = std::int64_t;

constexpr Number kMost = 64;  // values of a producer
constexpr Number kNothing = -1;

Number producer_of(Number value) { return value / kMost; }

// ---- values

template <class T>
T value_of(Number n) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(static_cast<std::size_t>(n % 40), 'v') + std::to_string(n);
  } else {
    return n;
  }
}
Number number_of(Number value) { return value; }
Number number_of(const std::string& value) {
  return std::stoll(value.substr(value.rfind('v') + 1));
}

template <class T>
std::vector<T> values_of(Number first, Number count) {
  std::vector<T> values;
  for (Number n = first; n < first + count; ++n) values.push_back(value_of<T>(n));
  return values;
}

/// What is there.
class ListModel {
 public:
  Number size() const { return static_cast<Number>(there_.size()); }
  std::uint64_t digest() const {
    std::uint64_t sum = 0;
    for (const Number n : there_) sum += hash_number(static_cast<std::uint64_t>(n));
    return sum;
  }
  void put(Number first, Number count) {
    for (Number n = first; n < first + count; ++n) there_.insert(n);
  }
  void clear() { there_.clear(); }

  void take(const std::vector<Number>& taken) {
    for (const Number n : taken) {
      if (there_.erase(n) == 0)
        fail("value " + std::to_string(n) + " came out, but was not there, or twice");
    }
  }
  /// Of what has been taken, nothing came before something that its producer has put earlier.
  void require_earliest(const std::vector<Number>& taken) const {
    for (const Number n : taken) {
      const auto left = there_.lower_bound(producer_of(n) * kMost);
      if (left != there_.end() && *left < n) {
        fail("value " + std::to_string(n) + " came out before " + std::to_string(*left));
      }
    }
  }
  void require_latest(const std::vector<Number>& taken) const {
    for (const Number n : taken) {
      const auto left = there_.upper_bound(n);
      if (left != there_.end() && producer_of(*left) == producer_of(n)) {
        fail("value " + std::to_string(n) + " came out before " + std::to_string(*left));
      }
    }
  }

 private:
  std::set<Number> there_;
};

/// What tasks have taken, in places of theirs, at the task that has it.
class Taken {
 public:
  explicit Taken(Number places) : numbers_(static_cast<std::size_t>(places) + 1, kNothing) {}
  GlobalAddress<Number> places() { return GlobalAddress<Number>::of_local(numbers_.data()); }
  std::vector<Number> all() const {
    std::vector<Number> some = numbers_;
    std::erase(some, kNothing);
    return some;
  }

 private:
  std::vector<Number> numbers_;
};

// ---- queues and stacks

template <class T>
struct QueueUse {
  using Value = T;
  using Handle = GlobalQueue<T>;
  static constexpr bool kIsQueue = true;
  static void put(const Handle& queue, const T& value) { queue.enqueue(value); }
  static void put(const Handle& queue, std::span<const T> values) { queue.enqueue(values); }
  static void async_put(const Handle& queue, const T& value) { queue.async_enqueue(value); }
  static void async_put(const Handle& queue, std::span<const T> values) {
    queue.async_enqueue(values);
  }
  static std::optional<T> take(const Handle& queue) { return queue.dequeue(); }
  static std::optional<T> try_take(const Handle& queue) { return queue.try_dequeue(); }
  static std::size_t try_take(const Handle& queue, std::span<T> out) {
    return queue.try_dequeue(out);
  }
};

template <class T>
struct StackUse {
  using Value = T;
  using Handle = GlobalStack<T>;
  static constexpr bool kIsQueue = false;
  static void put(const Handle& stack, const T& value) { stack.push(value); }
  static void put(const Handle& stack, std::span<const T> values) { stack.push(values); }
  static void async_put(const Handle& stack, const T& value) { stack.async_push(value); }
  static void async_put(const Handle& stack, std::span<const T> values) {
    stack.async_push(values);
  }
  static std::optional<T> take(const Handle& stack) { return stack.pop(); }
  static std::optional<T> try_take(const Handle& stack) { return stack.try_pop(); }
  static std::size_t try_take(const Handle& stack, std::span<T> out) { return stack.try_pop(out); }
};

template <class Use>
class ListProgram {
 public:
  static void run(const Draw& draw) {
    ListProgram program;
    for (std::int64_t phase = 0; phase < 12; ++phase) {
      program.step(Draw{draw(static_cast<std::uint64_t>(phase))});
      program.compare();
    }
  }

 private:
  using Handle = typename Use::Handle;
  using T = typename Use::Value;

  ListProgram() : owned_(Handle::create()) {}

  void step(const Draw& ops) {
    switch (ops.below(7, 0, 1)) {
      case 0:
      case 1:
        return put_values(ops);
      case 2:
        return try_to_take(ops);
      case 3:
        return take_one_after_another(ops);
      case 4:
        return wait_for_values(ops);
      case 5:
        return wait_until_closed(ops);
      default:
        owned_->clear();
        model_.clear();
    }
  }

  // ---- putting: producer p has `count` values, and a way to put them

  struct Producer {
    Number first;
    Number count;
    std::int64_t way;
  };
  static Producer producer(const Draw& ops, Number number) {
    // What is put without an answer is put once: several of those come in any order.
    Producer p{number * kMost, 1 + ops.below(20, number, 2), ops.below(4, number, 3)};
    if (p.way == 2) p.count = 1;
    return p;
  }
  static void put(const Handle& list, const Producer& p) {
    switch (p.way) {
      case 0:
        for (Number n = p.first; n < p.first + p.count; ++n) Use::put(list, value_of<T>(n));
        return;
      case 1:
        for (Number n = 0; n < p.count; n += 3)
          Use::put(list, values_of<T>(p.first + n, std::min<Number>(3, p.count - n)));
        return;
      case 2:
        return Use::async_put(list, value_of<T>(p.first));
      default:
        return Use::async_put(list, values_of<T>(p.first, p.count));
    }
  }
  Number start_producers(CompletionEvent& event, const Draw& ops) {
    const Number count = ops.below(30, 0, 4);
    Number values = 0;
    for (Number number = producers_; number < producers_ + count; ++number) {
      const Producer p = producer(ops, number);
      spawn_on(event, static_cast<int>(number % core_count()),
               [list = *owned_, p] { put(list, p); });
      model_.put(p.first, p.count);
      values += p.count;
    }
    producers_ += count;
    return values;
  }
  void put_values(const Draw& ops) {
    CompletionEvent event;
    start_producers(event, ops);
    event.wait();
  }

  // ---- taking

  void try_to_take(const Draw& ops) {
    constexpr Number kEach = 4;
    const Number takers = ops.below(60, 0, 5);
    const auto wanted = [ops](Number i) { return 1 + ops.below(kEach, i, 6); };
    Taken taken(takers * kEach);
    forall(0, takers, {.grain = 1}, [=, list = *owned_, places = taken.places()](Number i) {
      std::vector<T> some(static_cast<std::size_t>(wanted(i)));
      std::size_t count = 0;
      if (some.size() == 1) {
        if (auto value = Use::try_take(list)) some[count++] = *std::move(value);
      } else {
        count = Use::try_take(list, std::span(some));
      }
      for (std::size_t k = 0; k < count; ++k)
        delegate::async::write(places + i * kEach + static_cast<Number>(k), number_of(some[k]));
    });
    Number most = 0;
    for (Number i = 0; i < takers; ++i) most += wanted(i);
    const std::vector<Number> all = taken.all();
    require_equal(all.size(), std::min(most, model_.size()), "how many values were taken");
    model_.take(all);
    Use::kIsQueue ? model_.require_earliest(all) : model_.require_latest(all);
  }

  void take_one_after_another(const Draw& ops) {
    for (Number i = ops.below(40, 0, 7); i > 0; --i) {
      const auto value = Use::try_take(*owned_);
      require_equal(value.has_value(), model_.size() > 0, "whether there is a value");
      if (!value) return;
      const std::vector<Number> one = {number_of(*value)};
      model_.take(one);
      Use::kIsQueue ? model_.require_earliest(one) : model_.require_latest(one);
    }
  }

  /// Tasks that wait for a value each, or for the end. Some fail when they have theirs: `failing`
  /// of the number.
  static constexpr Number kSurvivors = 4;
  static Number failing(Number takers) { return takers / (kSurvivors + 1); }
  void start_takers(CompletionEvent& event, Number count, GlobalAddress<Number> places) {
    for (Number i = 0; i < count; ++i) {
      spawn_on(event, static_cast<int>(i * 7 % core_count()), [list = *owned_, places, i] {
        const auto value = Use::take(list);
        if (!value) return;
        delegate::async::write(places + i, number_of(*value));
        if (i % (kSurvivors + 1) == kSurvivors) throw std::runtime_error("as asked");
      });
    }
  }
  static Number failures_of(CompletionEvent& event) {
    try {
      event.wait();
    } catch (const RemoteError& error) {
      return 1 + static_cast<Number>(error.others());
    }
    return 0;
  }

  void wait_for_values(const Draw& ops) {
    CompletionEvent putting;
    CompletionEvent taking;
    const Number before = model_.size();
    const Number most = before + ops.below(40, 0, 5);
    Taken taken(most);
    const bool early = ops.below(2, 0, 6) == 0;
    // As many as will get something for certain.
    const Number takers = early ? before : 0;
    start_takers(taking, takers, taken.places());
    const Number put = start_producers(putting, ops);
    const Number late = std::min(most, before + put) - takers;
    start_takers(taking, late, taken.places() + takers);
    putting.wait();
    require_equal(failures_of(taking), failing(takers) + failing(late), "takers that failed");
    const std::vector<Number> all = taken.all();
    require_equal(all.size(), takers + late, "how many of those who waited got a value");
    model_.take(all);
    if (Use::kIsQueue) model_.require_earliest(all);
  }

  void wait_until_closed(const Draw& ops) {
    const Number takers = ops.below(60, 0, 5);
    Taken taken(takers);
    CompletionEvent taking;
    start_takers(taking, takers, taken.places());
    for (Number i = ops.below(20, 0, 6); i > 0; --i) yield();
    owned_->close();
    require_equal(failures_of(taking) <= failing(takers), true, "whether few takers failed");
    const std::vector<Number> all = taken.all();
    require_equal(all.size(), std::min(takers, model_.size()), "how many got a value at the end");
    model_.take(all);
    on_all_cores([list = *owned_] {
      bool refused = false;
      try {
        Use::put(list, value_of<T>(0));
      } catch (const Error&) {
        refused = true;
      }
      if (!refused) fail("something was put into what is closed");
    });
    compare();
    owned_ = Handle::create();
    model_.clear();
  }

  void compare() const {
    require_equal(owned_->size(), model_.size(), "the size");
    std::uint64_t sum = 0;
    owned_->forall([to = GlobalAddress<std::uint64_t>::of_local(&sum)](const T& value) {
      delegate::async::increment(to, hash_number(static_cast<std::uint64_t>(number_of(value))));
    });
    require_equal(sum, model_.digest(), "a digest of all that is there");
  }

  Owned<Handle> owned_;
  ListModel model_;
  Number producers_ = 0;
};

// ---- bags

class BagProgram {
 public:
  static void run(const Draw& draw) {
    BagProgram program;
    for (std::int64_t phase = 0; phase < 10; ++phase) {
      program.step(Draw{draw(static_cast<std::uint64_t>(phase))});
      program.compare();
    }
  }

 private:
  void step(const Draw& ops) {
    switch (ops.below(6, 0, 1)) {
      case 0:
      case 1:
        return add(ops);
      case 2:
        return take(ops);
      case 3:
        return bag_->shuffle(ops(0, 2));
      case 4:
        bag_->balance();
        return require_balanced();
      default:
        for (Number i = ops.below(100, 0, 3); i > 0; --i) {
          const auto value = bag_->take();
          require_equal(value.has_value(), model_.size() > 0, "whether there is a value");
          if (value) model_.take({*value});
        }
    }
  }
  void add(const Draw& ops) {
    const Number tasks = ops.below(100, 0, 2);
    const auto count = [ops](Number i) { return 1 + ops.below(8, i, 3); };
    const Number first = std::exchange(added_, added_ + tasks);
    forall(0, tasks, {.grain = 1}, [=, bag = *bag_](Number i) {
      if (count(i) == 1) return bag.local_add((first + i) * kMost);
      bag.local_add(values_of<Number>((first + i) * kMost, count(i)));
    });
    for (Number i = 0; i < tasks; ++i) model_.put((first + i) * kMost, count(i));
  }
  /// Some may get nothing while values are on their way to others.
  void take(const Draw& ops) {
    const Number takers = ops.below(100, 0, 4);
    Taken taken(takers);
    forall(0, takers, {.grain = 1}, [bag = *bag_, places = taken.places()](Number i) {
      const auto value = i % 5 == 0 ? bag.local_take() : bag.take();
      if (value) delegate::async::write(places + i, *value);
    });
    model_.take(taken.all());
  }
  void require_balanced() const {
    const auto sizes = gather_cores([bag = *bag_] { return bag.local_size(); });
    const auto [least, most] = std::ranges::minmax(sizes);
    require_equal(most - least <= 1, true, "whether the bag is balanced");
  }
  void compare() const {
    require_equal(bag_->size(), model_.size(), "the size");
    std::uint64_t sum = 0;
    bag_->forall([to = GlobalAddress<std::uint64_t>::of_local(&sum)](Number value) {
      delegate::async::increment(to, hash_number(static_cast<std::uint64_t>(value)));
    });
    require_equal(sum, model_.digest(), "a digest of all that is there");
  }

  Owned<GlobalBag<Number>> bag_ = GlobalBag<Number>::create();
  ListModel model_;
  Number added_ = 0;
};

constexpr std::array kPrograms{
    ContainerProgram{"GlobalQueue of integers", &ListProgram<QueueUse<Number>>::run},
    ContainerProgram{"GlobalQueue of strings", &ListProgram<QueueUse<std::string>>::run},
    ContainerProgram{"GlobalStack of integers", &ListProgram<StackUse<Number>>::run},
    ContainerProgram{"GlobalStack of strings", &ListProgram<StackUse<std::string>>::run},
    ContainerProgram{"GlobalBag of integers", &BagProgram::run},
};

}  // namespace

std::span<const ContainerProgram> list_programs() { return kPrograms; }

}  // namespace soak
