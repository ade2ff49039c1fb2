// Operators on the bits of integers: & | ~ << >>, and xor.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "grappa/query/expression/function_list.hpp"
#include "grappa/query/expression/kernels.hpp"

namespace grappa::query {
namespace {

template <class T>
constexpr int kBits = std::numeric_limits<std::make_unsigned_t<T>>::digits;

/// As often as that, a times 2; an error where that is too much.
template <class T>
T shifted_left(T a, T by) {
  if (by < 0 || by >= kBits<T>) throw QueryError("<<: a shift is out of range");
  const auto result = static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << by);
  if ((result >> by) != a) throw QueryError("<<: an integer is out of range");
  return result;
}
template <class T>
T shifted_right(T a, T by) {
  if (by < 0) throw QueryError(">>: a shift is out of range");
  return a >> std::min<T>(by, kBits<T> - 1);
}

template <class T>
void add_operators(FunctionList& list, const Type& type) {
  const auto add = [&](std::string_view name, Kernel kernel, bool can_fail = false) {
    list.add(name, {type, type}, type, kernel, can_fail);
  };
  add("&",
      [](const KernelCall& call) { binary<T, T, T>(call, [](T a, T b) -> T { return a & b; }); });
  add("|",
      [](const KernelCall& call) { binary<T, T, T>(call, [](T a, T b) -> T { return a | b; }); });
  add("xor",
      [](const KernelCall& call) { binary<T, T, T>(call, [](T a, T b) -> T { return a ^ b; }); });
  add("<<", [](const KernelCall& call) { binary<T, T, T>(call, shifted_left<T>); }, true);
  add(">>", [](const KernelCall& call) { binary<T, T, T>(call, shifted_right<T>); }, true);
  list.add("~", {type}, type,
           [](const KernelCall& call) { unary<T, T>(call, [](T a) -> T { return ~a; }); });
}

}  // namespace

void add_bit_functions(FunctionList& list) {
  add_operators<std::int32_t>(list, kInt32);
  add_operators<std::int64_t>(list, kInt64);
}

}  // namespace grappa::query
