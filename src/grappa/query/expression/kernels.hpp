#pragma once

// Loops of kernels: a function of single values, for the rows of a call.
//
//   binary<std::int64_t, std::int64_t, std::int64_t>(call, [](auto a, auto b) { return a + b; });
//
// The loop is compiled once for each way in which arguments are constant, so that it is one that
// the compiler makes vector instructions of.

#include <cstddef>

#include "grappa/query/expression/function.hpp"

namespace grappa::query {

template <class A, class Result, class F>
void unary(const KernelCall& call, F f) {
  const A* const a = call.arguments[0].data<A>();
  auto* const out = static_cast<Result*>(call.values);
  if (call.arguments[0].is_constant) {
    const A value = a[0];
    call.for_each([&](std::size_t row) { out[row] = f(value); });
  } else {
    call.for_each([&](std::size_t row) { out[row] = f(a[row]); });
  }
}

/// each(row, a, b), for the rows of the call.
template <class A, class B, class F>
void for_each_pair(const KernelCall& call, F each) {
  const Vector& first = call.arguments[0];
  const Vector& second = call.arguments[1];
  const A* const a = first.data<A>();
  const B* const b = second.data<B>();
  if (first.is_constant) {
    const A value = a[0];
    const std::size_t step = second.is_constant ? 0 : 1;
    call.for_each([&](std::size_t row) { each(row, value, b[row * step]); });
  } else if (second.is_constant) {
    const B value = b[0];
    call.for_each([&](std::size_t row) { each(row, a[row], value); });
  } else {
    call.for_each([&](std::size_t row) { each(row, a[row], b[row]); });
  }
}

template <class A, class B, class Result, class F>
void binary(const KernelCall& call, F f) {
  auto* const out = static_cast<Result*>(call.values);
  for_each_pair<A, B>(call,
                      [out, f](std::size_t row, const A& a, const B& b) { out[row] = f(a, b); });
}

}  // namespace grappa::query
