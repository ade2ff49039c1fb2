// Containers with keys. Operations of one phase on one key are all of the same kind, and such
// commute; those on different keys do anyway.

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
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

// ---- keys, each of a number

struct Place {
  std::int32_t row;
  std::int32_t column;
  friend auto operator<=>(const Place&, const Place&) = default;
};

template <class K>
K key_of(Number n);
template <>
Number key_of(Number n) {
  return n * 1'000'003;
}
template <>
std::string key_of(Number n) {
  return std::string(static_cast<std::size_t>(n % 70), 'k') + std::to_string(n);
}
template <>
Place key_of(Number n) {
  return {static_cast<std::int32_t>(n / 10), static_cast<std::int32_t>(n % 10)};
}

Number number_of(Number key) { return key / 1'000'003; }
Number number_of(const std::string& key) { return std::stoll(key.substr(key.rfind('k') + 1)); }
Number number_of(const Place& key) { return Number{key.row} * 10 + key.column; }

std::uint64_t digest(Number key, Number value) {
  return hash_number(static_cast<std::uint64_t>(key) ^
                     hash_number(static_cast<std::uint64_t>(value)));
}
std::uint64_t digest(Number key, const std::vector<Number>& values) {
  std::uint64_t sum = 0;  // they are in no order
  for (const Number value : values) sum += digest(key, value);
  return sum;
}

// ---- containers: what a task does to a key, and the same of a map of the keys' numbers. The sum
// of what the operations of one kind on one key return does not depend on their order.

template <class K>
struct MapUse {
  using Key = K;
  using Handle = GlobalHashMap<K, Number>;
  using Model = std::map<Number, Number>;
  static constexpr int kKinds = 14;

  static Number perform(const Handle& map, int kind, const K& key, Number n, Number) {
    const Number amount = 1 + n % 3;
    const auto add = [](Number& value) { return value += 3; };
    switch (kind) {
      case 0:
        return map.insert(key, 7 * n);
      case 1:
        return map.insert_or_assign(key, 5 * n);
      case 2:
        return map.upsert(key, amount, std::plus<>());
      case 3:
        return map.visit(key, add);
      case 4:
        return map.visit_or_insert(key, n, add);
      case 5:
        return map.find(key).value_or(-1);
      case 6:
        return map.contains(key);
      case 7:
        return map.erase(key);
      case 8:
        map.async_insert(key, 7 * n);
        return 0;
      case 9:
        map.async_insert_or_assign(key, 5 * n);
        return 0;
      case 10:
        map.async_upsert(key, amount, std::plus<>());
        return 0;
      case 11:
        map.async_visit(key, add);
        return 0;
      case 12:
        map.async_visit_or_insert(key, n, add);
        return 0;
      default:
        map.async_erase(key);
        return 0;
    }
  }
  static Number follow(Model& map, int kind, Number n, Number) {
    const auto found = map.find(n);
    const bool there = found != map.end();
    switch (kind) {
      case 0:
      case 8:
        map.emplace(n, 7 * n);
        return kind == 0 && !there;
      case 1:
      case 9:
        map[n] = 5 * n;
        return kind == 1 && !there;
      case 2:
      case 10:
        map[n] += 1 + n % 3;
        return kind == 2 ? map[n] : 0;
      case 3:
      case 11:
        if (there) found->second += 3;
        return kind == 3 && there;
      case 4:
      case 12: {
        const Number value = map.emplace(n, n).first->second += 3;
        return kind == 4 ? value : 0;
      }
      case 5:
        return there ? found->second : -1;
      case 6:
        return there;
      default:
        map.erase(n);
        return kind == 7 && there;
    }
  }
  static Number size(const Model& model) { return std::ssize(model); }
};

template <class K>
struct CountUse {
  using Key = K;
  using Handle = CountingMap<K>;
  using Model = std::map<Number, Number>;
  static constexpr int kKinds = 5;

  static Number perform(const Handle& counts, int kind, const K& key, Number n, Number) {
    switch (kind) {
      case 0:
        return counts.add(key, 1 + n % 4);
      case 1:
        return counts.count(key);
      case 2:
        return counts.erase(key);
      case 3:
        counts.async_erase(key);
        return 0;
      default:
        counts.async_add(key, 1 + n % 4);
        return 0;
    }
  }
  static Number follow(Model& counts, int kind, Number n, Number) {
    switch (kind) {
      case 0:
        return counts[n] += 1 + n % 4;
      case 1:
        return counts.contains(n) ? counts[n] : 0;
      case 2:
        return static_cast<Number>(counts.erase(n));
      case 3:
        counts.erase(n);
        return 0;
      default:
        counts[n] += 1 + n % 4;
        return 0;
    }
  }
  static Number size(const Model& model) { return std::ssize(model); }
};

template <class K>
struct SetUse {
  using Key = K;
  using Handle = GlobalHashSet<K>;
  using Model = std::map<Number, Number>;  // of zeros
  static constexpr int kKinds = 5;

  static Number perform(const Handle& set, int kind, const K& key, Number, Number) {
    switch (kind) {
      case 0:
        return set.insert(key);
      case 1:
        return set.contains(key);
      case 2:
        return set.erase(key);
      case 3:
        set.async_erase(key);
        return 0;
      default:
        set.async_insert(key);
        return 0;
    }
  }
  static Number follow(Model& set, int kind, Number n, Number) {
    const bool there = set.contains(n);
    switch (kind) {
      case 0:
        return set.emplace(n, 0).second;
      case 1:
        return there;
      case 2:
        set.erase(n);
        return there;
      case 3:
        set.erase(n);
        return 0;
      default:
        set.emplace(n, 0);
        return 0;
    }
  }
  static Number size(const Model& model) { return std::ssize(model); }
};

template <class K>
struct MultiUse {
  using Key = K;
  using Handle = GlobalMultiMap<K, Number>;
  using Model = std::map<Number, std::vector<Number>>;
  static constexpr int kKinds = 9;

  static Number perform(const Handle& map, int kind, const K& key, Number, Number i) {
    const auto add = [](std::vector<Number>& values) { values.push_back(5); };
    switch (kind) {
      case 0:
        return map.insert(key, i);
      case 1:
        return map.count(key);
      case 2: {
        const std::vector<Number> values = map.find(key);
        return std::accumulate(values.begin(), values.end(), std::ssize(values));
      }
      case 3:
        return map.erase(key);
      case 4:
        return map.visit_group(key, add);
      case 5:
        return map.visit_group(key, [](std::vector<Number>& values) { values.clear(); });
      case 6:
        map.async_insert(key, i);
        return 0;
      case 7:
        map.async_visit_group(key, add);
        return 0;
      default:
        map.async_erase(key);
        return 0;
    }
  }
  static Number follow(Model& map, int kind, Number n, Number i) {
    const auto found = map.find(n);
    const bool there = found != map.end();
    const Number count = there ? std::ssize(found->second) : 0;
    switch (kind) {
      case 0:
      case 6:
        map[n].push_back(i);
        return kind == 0 ? count + 1 : 0;
      case 1:
        return count;
      case 2:
        return there ? std::accumulate(found->second.begin(), found->second.end(), count) : 0;
      case 4:
      case 7:
        if (there) found->second.push_back(5);
        return kind == 4 && there;
      default:
        map.erase(n);
        return kind == 3 ? count : kind == 5 && there;
    }
  }
  static Number size(const Model& model) {
    Number sum = 0;
    for (const auto& [key, values] : model) sum += std::ssize(values);
    return sum;
  }
};

// ---- programs

template <class Use>
class KeyedProgram {
 public:
  static void run(const Draw& draw) {
    KeyedProgram program(draw.below(2, 0) * 100);
    for (std::int64_t phase = 0; phase < 6; ++phase) {
      const Draw ops{draw(static_cast<std::uint64_t>(phase), 1)};
      program.tasks_of_all_cores(ops);
      program.compare();
      program.one_task(ops);
      program.compare();
    }
  }

 private:
  using Key = typename Use::Key;
  using Handle = typename Use::Handle;

  explicit KeyedProgram(std::int64_t expected) : owned_(Handle::create(expected)) {}

  void tasks_of_all_cores(const Draw& ops) {
    const std::int64_t keys = 1 + ops.below(200, 0, 1);
    const std::int64_t operations = ops.below(600, 0, 2);
    const auto key_in = [=](std::int64_t i) { return ops.below(keys, i, 3); };
    const auto kind_in = [=](Number n) { return static_cast<int>(ops.below(Use::kKinds, n, 4)); };
    Number answers = 0;
    forall(0, operations, {.grain = 1 + ops.below(16, 0, 5)},
           [=, handle = *owned_, to = GlobalAddress<Number>::of_local(&answers)](std::int64_t i) {
             const Number n = key_in(i);
             const Number answer = Use::perform(handle, kind_in(n), key_of<Key>(n), n, i);
             if (answer != 0) delegate::async::increment(to, answer);
           });
    Number expected = 0;
    for (std::int64_t i = 0; i < operations; ++i)
      expected += Use::follow(model_, kind_in(key_in(i)), key_in(i), i);
    require_equal(answers, expected, "the sum of the answers");
  }

  void one_task(const Draw& ops) {
    const auto goes = [](Number n) { return n % 3 == 0; };
    switch (ops.below(7, 0, 6)) {
      case 0:
        require_equal(
            owned_->erase_if(
                [goes](const Key& key, const auto&...) { return goes(number_of(key)); }),
            std::erase_if(model_, [goes](const auto& entry) { return goes(entry.first); }),
            "how many were erased");
        return;
      case 1:
        owned_->clear();
        return model_.clear();
      case 2:
        return compare_keys();
      case 3:
        if constexpr (requires { owned_->top_k(5); }) compare_top();
        return;
      case 4:
        if constexpr (requires { owned_->unite(*owned_); }) combine_sets(ops);
        return;
      case 5:
        return fail_in_loop();
      default:
        return save_and_load();
    }
  }

  void compare_keys() {
    std::vector<Number> keys;
    for (const Key& key : owned_->gather_keys()) keys.push_back(number_of(key));
    std::ranges::sort(keys);
    const bool same =
        std::ranges::equal(keys, model_, {}, {}, [](auto& entry) { return entry.first; });
    if (!same) fail("the keys that were gathered are not those of the model");
  }
  void compare_top() {
    std::vector<Number> values;
    for (const auto& [key, value] : model_) values.push_back(value);
    std::ranges::sort(values, std::greater<>());
    const auto top = owned_->top_k(5);
    require_equal(top.size(), std::min<std::size_t>(5, values.size()), "the length of top_k");
    for (std::size_t i = 0; i < top.size(); ++i)
      require_equal(top[i].second, values[i], "a value of top_k");
  }
  /// With a set of the numbers that are divisible by one.
  void combine_sets(const Draw& ops) {
    const Number divisor = 2 + ops.below(3, 0, 7);
    const Owned<Handle> others = Handle::create();
    forall(0, 100, [handle = *others, divisor](Number n) {
      if (n % divisor == 0) handle.async_insert(key_of<Key>(n));
    });
    const auto among = [divisor](Number n) { return n < 100 && n % divisor == 0; };
    switch (divisor) {
      case 2:
        owned_->unite(*others);
        for (Number n = 0; n < 100; n += divisor) model_.try_emplace(n);
        return;
      case 3:
        owned_->intersect(*others);
        std::erase_if(model_, [&](const auto& entry) { return !among(entry.first); });
        return;
      default:
        owned_->subtract(*others);
        std::erase_if(model_, [&](const auto& entry) { return among(entry.first); });
    }
  }
  /// After which keys may come and go again.
  void fail_in_loop() const {
    const auto fails = [](Number n) { return n % 5 == 0; };
    bool failed = false;
    try {
      owned_->forall([fails](const Key& key, const auto&...) {
        if (fails(number_of(key))) throw std::runtime_error("as asked");
      });
    } catch (const RemoteError&) {
      failed = true;
    }
    require_equal(failed,
                  std::ranges::any_of(model_, [&](const auto& e) { return fails(e.first); }),
                  "whether the loop has failed");
  }
  void save_and_load() {
    const std::string path = "soak.saved";
    owned_->save(path);
    owned_ = Handle::load(path);
    std::filesystem::remove(path);
  }

  void compare() const {
    require_equal(owned_->size(), Use::size(model_), "the size");
    std::uint64_t sum = 0;
    const auto to = GlobalAddress<std::uint64_t>::of_local(&sum);
    if constexpr (requires { owned_->unite(*owned_); }) {
      owned_->forall(
          [to](const Key& key) { delegate::async::increment(to, digest(number_of(key), 0)); });
    } else {
      owned_->forall([to](const Key& key, auto& value) {
        delegate::async::increment(to, digest(number_of(key), value));
      });
    }
    std::uint64_t expected = 0;
    for (const auto& [key, value] : model_) expected += digest(key, value);
    require_equal(sum, expected, "a digest of all that is there");
  }

  Owned<Handle> owned_;
  typename Use::Model model_;
};

template <class Use>
constexpr ContainerProgram of(const char* name) {
  return {name, &KeyedProgram<Use>::run};
}

constexpr std::array kPrograms{
    of<MapUse<Number>>("GlobalHashMap of integers"),
    of<MapUse<std::string>>("GlobalHashMap of strings"),
    of<MapUse<Place>>("GlobalHashMap of structs"),
    of<SetUse<Number>>("GlobalHashSet of integers"),
    of<SetUse<std::string>>("GlobalHashSet of strings"),
    of<SetUse<Place>>("GlobalHashSet of structs"),
    of<MultiUse<Number>>("GlobalMultiMap of integers"),
    of<MultiUse<std::string>>("GlobalMultiMap of strings"),
    of<MultiUse<Place>>("GlobalMultiMap of structs"),
    of<CountUse<Number>>("CountingMap of integers"),
    of<CountUse<std::string>>("CountingMap of strings"),
    of<CountUse<Place>>("CountingMap of structs"),
};

}  // namespace

std::span<const ContainerProgram> keyed_programs() { return kPrograms; }

}  // namespace soak
