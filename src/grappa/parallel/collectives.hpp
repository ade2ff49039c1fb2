#pragma once

// Collectives: values combined over all cores.
//
//   // Called by one task, which waits; the closure runs once on every core.
//   int64_t total = reduce_cores([=] { return local_count(); }, int64_t{0}, std::plus<>{});
//
//   // Called by one task on every core, each of which waits for the others.
//   on_all_cores([=] {
//     barrier();
//     int64_t sum = all_reduce(local_count(), std::plus<>{});
//   });
//
// Values combine in the order of the cores, so floating-point results repeat. T is trivially
// copyable. All of these switch tasks. The identity is given, never guessed: a minimum that started
// at T() would be wrong for positive values.
//
// Errors: UsageError when a core begins a collective before its last one has returned, or in the
// body of a loop over numbers, whose iterations run on any core. Cores that are in different
// collectives at the same time (another one, type, operation or root) end the process with a
// message that names both.

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <typeinfo>
#include <vector>

#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa {

namespace internal {

/// Types whose names say in which collective a core is.
namespace collective {
template <class T, class Op>
struct all_reduce {};
template <class T>
struct broadcast {};
template <class T, class Op>
struct exclusive_scan {};
template <class T, class Op>
struct inclusive_scan {};
struct barrier {};
struct local_barrier {};
}  // namespace collective

/// What all cores of a group must be in at the same time.
struct CollectiveStep {
  const std::type_info* type = nullptr;
  std::int64_t root = 0;
};

/// What a core keeps for collectives over a group of consecutive cores; the first of the group
/// combines the values.
struct CollectiveGroup {
  std::vector<std::vector<std::byte>> contributions;  // at the first core: by rank
  int arrived = 0;
  int first_arrived = 0;  // the rank that came first, and its step, with which others are compared
  CollectiveStep step;
  std::vector<std::byte> result;
  bool have_result = false;
  bool in_use = false;  // a task of this core is in a collective
  Worker* waiter = nullptr;
};

/// What a core keeps for the collectives of the run and of its locale.
struct Collectives {
  explicit Collectives(Core& core);
  CollectiveGroup everyone;
  CollectiveGroup of_locale;
};

struct GroupRange {
  int first;
  int count;
  bool whole;  // all cores of the run
};
inline GroupRange all_cores_group() { return {0, here().locale.core_count(), true}; }
inline GroupRange locale_group() {
  return {here().locale.first_core(), here().locale.cores_each, false};
}

/// This core's part in a collective of the group, while it lives. Throws UsageError where none may
/// begin.
class CollectivePart {
 public:
  explicit CollectivePart(const GroupRange& group);
  ~CollectivePart() { group_.in_use = false; }
  CollectivePart(const CollectivePart&) = delete;
  CollectivePart& operator=(const CollectivePart&) = delete;

 private:
  CollectiveGroup& group_;
};

/// Gives `value` to the group; at its first core returns everybody's, in rank order, and elsewhere
/// an empty list.
std::vector<std::vector<std::byte>> contribute(const GroupRange& group, const CollectiveStep& step,
                                               std::span<const std::byte> value);
/// The first core: sends each rank its result. The others: wait for theirs.
void distribute(const GroupRange& group, std::span<const std::vector<std::byte>> results);
std::vector<std::byte> receive_result(const GroupRange& group);

/// Every core gives `mine`; `combine` turns the values of all, in rank order, into the results of
/// all.
template <class Step, class T, class Combine>
T exchange(const GroupRange& group, const T& mine, Combine combine, std::int64_t root = 0) {
  require_value<T>();
  const CollectivePart part(group);
  const auto given = contribute(group, {&typeid(Step), root}, std::as_bytes(std::span(&mine, 1)));
  std::vector<std::byte> bytes;
  if (!given.empty()) {
    std::vector<T> values(given.size(), mine);
    for (std::size_t i = 0; i < given.size(); ++i)
      std::memcpy(static_cast<void*>(&values[i]), given[i].data(), sizeof(T));
    combine(values);
    std::vector<std::vector<std::byte>> results(values.size(), std::vector<std::byte>(sizeof(T)));
    for (std::size_t i = 0; i < values.size(); ++i)
      std::memcpy(results[i].data(), static_cast<const void*>(&values[i]), sizeof(T));
    distribute(group, results);
    bytes = std::move(results.front());
  } else {
    bytes = receive_result(group);
  }
  T result = mine;
  std::memcpy(static_cast<void*>(&result), bytes.data(), sizeof(T));
  return result;
}

/// Whether numbers of type From are cut off in one of type To.
template <class From, class To>
inline constexpr bool kLosesRange =
    std::conjunction_v<std::is_arithmetic<From>, std::is_arithmetic<To>> &&
    !std::is_same_v<To, bool> &&
    (std::is_floating_point_v<From> ? std::is_integral_v<To> || sizeof(To) < sizeof(From)
                                    : std::is_integral_v<To> && sizeof(To) < sizeof(From));

}  // namespace internal

/// Waits until every core of the run has called it.
void barrier();
/// Waits until every core of this locale has called it.
void local_barrier();

/// value(0) op value(1) op … of all cores, on every core.
template <class T, class Op>
T all_reduce(T mine, Op op) {
  internal::require_operation<Op, T>();
  using Step = internal::collective::all_reduce<T, Op>;
  return internal::exchange<Step>(internal::all_cores_group(), mine, [&](std::vector<T>& values) {
    T sum = values.front();
    for (std::size_t i = 1; i < values.size(); ++i) sum = op(sum, values[i]);
    values.assign(values.size(), sum);
  });
}

/// The value of core `root`, on every core.
template <class T>
T broadcast(T mine, int root = 0, internal::CallSite where = internal::CallSite::current()) {
  internal::require_core(root, where);
  using Step = internal::collective::broadcast<T>;
  return internal::exchange<Step>(
      internal::all_cores_group(), mine,
      [&](std::vector<T>& values) {
        const T chosen = values[static_cast<std::size_t>(root)];
        values.assign(values.size(), chosen);
      },
      root);
}

/// On core c: identity op value(0) op … op value(c-1).
template <class T, class Op>
T exclusive_scan(T mine, Op op, T identity) {
  internal::require_operation<Op, T>();
  using Step = internal::collective::exclusive_scan<T, Op>;
  return internal::exchange<Step>(internal::all_cores_group(), mine, [&](std::vector<T>& values) {
    T sum = identity;
    for (T& value : values) {
      const T next = op(sum, value);
      value = sum;
      sum = next;
    }
  });
}

/// On core c: value(0) op … op value(c).
template <class T, class Op>
T inclusive_scan(T mine, Op op) {
  internal::require_operation<Op, T>();
  using Step = internal::collective::inclusive_scan<T, Op>;
  return internal::exchange<Step>(internal::all_cores_group(), mine, [&](std::vector<T>& values) {
    for (std::size_t i = 1; i < values.size(); ++i) values[i] = op(values[i - 1], values[i]);
  });
}

/// f() of every core, in core order. f runs as a task and may suspend. Its result is trivially
/// copyable or can be serialized, as that of a delegate.
template <class F>
auto gather_cores(F f, internal::CallSite where = internal::CallSite::current()) {
  internal::require_callable<F>();
  using T = std::invoke_result_t<F&>;
  internal::require_result<T>();
  std::vector<T> values(static_cast<std::size_t>(core_count()));
  const auto base = GlobalAddress<T>::of_local(values.data());
  on_all_cores([f, base]() mutable { delegate::async::write(base + this_core(), f()); }, where);
  return values;
}

/// identity op f() on core 0 op f() on core 1 …, in the type of the identity.
template <class F, class T, class Op>
T reduce_cores(F f, T identity, Op op, internal::CallSite where = internal::CallSite::current()) {
  internal::require_callable<F>();
  internal::require_operation<Op, T>();
  static_assert(!internal::kLosesRange<std::invoke_result_t<F&>, T>,
                "grappa: the identity given to reduce_cores has a type that cannot hold what f "
                "returns. Give it the type of the values: 0.0, or std::int64_t{0}.");
  T sum = identity;
  for (const T& value : gather_cores([f]() mutable -> T { return f(); }, where))
    sum = op(sum, value);
  return sum;
}

}  // namespace grappa
