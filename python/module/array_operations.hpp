#pragma once

// What grappa._grappa.Array does to elements: operations by their names, over slices and at the
// homes of elements, and numbers that look random.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include "grappa/container/global_array.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::python {

namespace nb = nanobind;

struct Add {
  template <class T>
  static T apply(T x, T by) {
    // Integers wrap, as NumPy's do.
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(x) + static_cast<U>(by));
    } else {
      return x + by;
    }
  }
};
struct Multiply {
  template <class T>
  static T apply(T x, T by) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(x) * static_cast<U>(by));
    } else {
      return x * by;
    }
  }
};
/// Of the two, a NaN if one is.
struct Least {
  template <class T>
  static T apply(T x, T by) {
    return x != x || x < by ? x : by;
  }
};
struct Greatest {
  template <class T>
  static T apply(T x, T by) {
    return x != x || x > by ? x : by;
  }
};
struct And {
  template <class T>
  static T apply(T x, T by) {
    return x & by;
  }
};
struct Or {
  template <class T>
  static T apply(T x, T by) {
    return x | by;
  }
};
struct Xor {
  template <class T>
  static T apply(T x, T by) {
    return x ^ by;
  }
};
struct Assign {
  template <class T>
  static T apply(T, T by) {
    return by;
  }
};

/// Calls f.operator()<Operation>().
template <class T, class F>
void with_operation(std::string_view name, const F& f) {
  if (name == "assign") return f.template operator()<Assign>();
  if (name == "add") return f.template operator()<Add>();
  if (name == "multiply") return f.template operator()<Multiply>();
  if (name == "minimum") return f.template operator()<Least>();
  if (name == "maximum") return f.template operator()<Greatest>();
  if constexpr (std::is_integral_v<T>) {
    if (name == "and") return f.template operator()<And>();
    if (name == "or") return f.template operator()<Or>();
    if (name == "xor") return f.template operator()<Xor>();
  }
  throw nb::type_error("operations on bits need an array of integers");
}

/// At the home of an element.
template <class T, class Operation>
struct Update {
  T by;
  void operator()(T& x) const noexcept { x = Operation::apply(x, by); }
};

/// What most updates are: its message is half as long.
template <class T>
struct AddOne {
  void operator()(T& x) const noexcept { x = Add::apply(x, T{1}); }
};

/// Values of a NumPy array, or one for all.
template <class T>
struct Operand {
  const T* values;
  std::int64_t step;  // 0: one for all
  T operator[](std::int64_t i) const { return values[i * step]; }
};

/// Elements first, first + step, …, n of them; step > 0.
struct Slice {
  std::int64_t first;
  std::int64_t step;
  std::int64_t n;
  std::int64_t operator[](std::int64_t k) const { return first + k * step; }
};

/// f(k, element) for all elements of a slice, at their homes.
template <class T, class F>
void for_slice(const GlobalArray<T>& array, Slice slice, F f) {
  on_all_cores([=] {
    const std::span<T> mine = array.local();
    if (mine.empty()) return;
    const auto [first, step, n] = slice;
    const std::int64_t begin = array.global_index(0);
    const std::int64_t last = std::min(begin + std::ssize(mine), first + n * step);
    std::int64_t k = first >= begin ? 0 : (begin - first + step - 1) / step;
    for (std::int64_t i = first + k * step; i < last; i += step, ++k)
      f(k, mine[static_cast<std::size_t>(i - begin)]);
  });
}

/// A number that looks random, for each i and seed (Java's SplittableRandom: G. Steele, D. Lea and
/// C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
inline std::uint64_t random_bits(std::uint64_t seed, std::int64_t i) {
  std::uint64_t z = (seed + static_cast<std::uint64_t>(i)) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

/// From low on, below high.
template <class T>
T random_between(std::uint64_t bits, T low, T high) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr int kDigits = std::numeric_limits<T>::digits;
    const T fraction = static_cast<T>(bits >> (64 - kDigits)) / static_cast<T>(1ULL << kDigits);
    return low + fraction * (high - low);
  } else {
    const std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    return static_cast<T>(static_cast<std::uint64_t>(low) + bits % count);
  }
}

}  // namespace grappa::python
