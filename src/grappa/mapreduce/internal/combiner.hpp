#pragma once

// A user's combiner, in the form that tables call.
//
//   Combiner combine{std::plus<>()};        // combine(a, b) is the combined value
//   combine(sum, 3);                              // sum = sum + 3
//
// One whose result is no value changes its first argument: [](auto& all, auto&& more) { … }.

#include <type_traits>
#include <utility>

namespace grappa::mapreduce::detail {

template <class F>
struct Combiner {
  F f;

  template <class V, class Value>
  void operator()(V& into, Value&& value) noexcept(std::is_nothrow_invocable_v<F&, V&, Value&&>) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, V&, Value&&>>) {
      f(into, std::forward<Value>(value));
    } else {
      into = f(std::move(into), std::forward<Value>(value));
    }
  }
};
template <class F>
Combiner(F) -> Combiner<F>;

}  // namespace grappa::mapreduce::detail
