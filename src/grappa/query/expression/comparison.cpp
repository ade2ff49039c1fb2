#include "grappa/query/expression/comparison.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/query/expression/kernels.hpp"

namespace grappa::query {
namespace {

constexpr std::array<std::string_view, 8> kNames{
    "=", "<>", "<", "<=", ">", ">=", "is distinct from", "is not distinct from"};

/// NaN equals itself and is greater than all numbers, as PostgreSQL has it.
template <class T>
int real_order(T a, T b) {
  const bool first = std::isnan(a);
  const bool second = std::isnan(b);
  if (first || second) return static_cast<int>(first) - static_cast<int>(second);
  return a < b ? -1 : a > b ? 1 : 0;
}

template <class Compare, class T>
bool holds(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return Compare{}(real_order(a, b), 0);
  } else {
    return Compare{}(a, b);
  }
}

/// The rows for which an integer compares so with the value. Where like values are side by side, of
/// some rows all or none are mostly kept, which is seen before they are taken one by one.
template <class Compare, class T>
std::size_t select_integers(const T* values, T value, std::size_t rows, Position* selected) {
  constexpr std::size_t kTogether = 64;
  std::size_t kept = 0;
  std::size_t begin = 0;
  const auto take = [&](std::size_t count, auto is_kept) {
    for (std::size_t row = begin; row < begin + count; ++row) {
      selected[kept] = static_cast<Position>(row);
      kept += is_kept(row) ? 1 : 0;
    }
  };
  const auto holds_at = [&](std::size_t row) { return Compare{}(values[row], value); };
  for (; begin + kTogether <= rows; begin += kTogether) {
    T hits = 0;
    for (std::size_t i = 0; i < kTogether; ++i)
      hits = static_cast<T>(hits + (holds_at(begin + i) ? 1 : 0));
    if (hits == static_cast<T>(kTogether))
      take(kTogether, [](std::size_t) { return true; });
    else if (hits != 0)
      take(kTogether, holds_at);
  }
  take(rows - begin, holds_at);
  return kept;
}

/// The rows for which it holds. A constant is on the right (turned_comparison).
template <class Compare, class T>
std::size_t select(const KernelCall& call, Position* selected) {
  const T* const a = call.arguments[0].data<T>();
  const T* const b = call.arguments[1].data<T>();
  const std::size_t first_step = call.arguments[0].is_constant ? 0 : 1;
  std::size_t kept = 0;
  if (first_step == 1 && call.arguments[1].is_constant) {
    const T value = b[0];
    if constexpr (std::is_integral_v<T> && sizeof(T) <= sizeof(std::int64_t))
      if (call.selection == nullptr) return select_integers<Compare>(a, value, call.rows, selected);
    call.for_each([&](std::size_t row) {
      selected[kept] = static_cast<Position>(row);
      kept += holds<Compare>(a[row], value) ? 1 : 0;
    });
  } else {
    const std::size_t second_step = call.arguments[1].is_constant ? 0 : 1;
    call.for_each([&](std::size_t row) {
      selected[kept] = static_cast<Position>(row);
      kept += holds<Compare>(a[row * first_step], b[row * second_step]) ? 1 : 0;
    });
  }
  return kept;
}

/// Booleans, of what is selected.
void compare(const KernelCall& call) {
  auto* const out = static_cast<std::uint8_t*>(call.values);
  call.for_each([&](std::size_t row) { out[row] = 0; });
  std::vector<Position> selected(call.rows + 1);
  const std::size_t kept = call.expression->function->select(call, selected.data());
  for (std::size_t i = 0; i < kept; ++i) out[selected[i]] = 1;
}

/// IS [NOT] DISTINCT FROM: NULLs are equal to one another.
template <bool kEqual, class T>
void compare_nulls(const KernelCall& call) {
  auto* const out = static_cast<std::uint8_t*>(call.values);
  const Vector& first = call.arguments[0];
  const Vector& second = call.arguments[1];
  call.for_each([&](std::size_t row) {
    const bool a = first.is_valid(row);
    const bool b = second.is_valid(row);
    const bool equal =
        a && b ? holds<std::equal_to<>>(first.at<T>(row), second.at<T>(row)) : a == b;
    out[row] = equal == kEqual ? 1 : 0;
  });
}

template <class T>
Function make(std::size_t which, const Type& type) {
  Function made{.name = std::string(kNames[which]), .parameters = {type, type}, .result = kBoolean};
  const auto set = [&](auto compared) {
    using Compare = decltype(compared);
    made.kernel = compare;
    made.select = select<Compare, T>;
  };
  switch (which) {
    case 0:
      set(std::equal_to<>());
      break;
    case 1:
      set(std::not_equal_to<>());
      break;
    case 2:
      set(std::less<>());
      break;
    case 3:
      set(std::less_equal<>());
      break;
    case 4:
      set(std::greater<>());
      break;
    case 5:
      set(std::greater_equal<>());
      break;
    default:
      made.sees_nulls = true;
      made.kernel = which == 6 ? compare_nulls<false, T> : compare_nulls<true, T>;
  }
  return made;
}

std::size_t place_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return i;
  return kNames.size();
}

}  // namespace

bool is_comparison(std::string_view name) { return place_of(name) < kNames.size(); }

const Function* comparison(std::string_view name, const Type& type) {
  using Key = std::tuple<std::size_t, TypeId, int, int>;
  static std::mutex lock;
  static std::map<Key, Function> made;
  const std::size_t which = place_of(name);
  const std::lock_guard guard(lock);
  const Key key(which, type.id, type.precision, type.scale);
  const auto found = made.find(key);
  if (found != made.end()) return &found->second;
  return &made.emplace(key, with_physical(type.physical(),
                                          [&]<class T>() { return make<T>(which, type); }))
              .first->second;
}

std::string_view turned_comparison(std::string_view name) {
  if (name == "<") return ">";
  if (name == "<=") return ">=";
  if (name == ">") return "<";
  if (name == ">=") return "<=";
  return name;
}

}  // namespace grappa::query
