#pragma once

// How the files of aggregate functions make one from functors for a type of states.

#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/query/exec/aggregate_function.hpp"

namespace grappa::query {

/// loop(state_of), where state_of(i) is the state of the i-th selected row's group. Where there is
/// one group, its state stays in registers meanwhile.
template <class State, class F>
void with_states(const AggregateCall& call, F loop) {
  if constexpr (std::is_trivially_copyable_v<State>) {
    if (call.is_one_group) {
      if (call.batch->count == 0) return;
      State& all = *reinterpret_cast<State*>(call.groups[0] + call.offset);
      State state = all;
      loop([&state](std::size_t) -> State& { return state; });
      all = state;
      return;
    }
  }
  loop([&call](std::size_t i) -> State& {
    return *reinterpret_cast<State*>(call.groups[i] + call.offset);
  });
}

/// each(state, row) for the rows of a call.
template <class State, class F>
void for_each_state(const AggregateCall& call, F each) {
  with_states<State>(call, [&](auto state_of) {
    std::size_t i = 0;
    call.batch->for_each([&](std::size_t row) { each(state_of(i++), row); });
  });
}

/// each(state, value) for the rows whose argument is not NULL.
template <class State, class T, class F>
void for_each_value(const AggregateCall& call, F each) {
  const Vector& values = call.arguments[0];
  const T* const data = values.data<T>();
  const auto loop = [&](auto state_of, auto index) {
    std::size_t i = 0;
    if (values.valid == nullptr) {
      call.batch->for_each([&](std::size_t row) { each(state_of(i++), data[index(row)]); });
    } else {
      call.batch->for_each([&](std::size_t row) {
        const std::size_t at = index(row);
        const std::size_t place = i++;
        if (bit_at(values.valid, at)) each(state_of(place), data[at]);
      });
    }
  };
  with_states<State>(call, [&](auto state_of) {
    if (values.is_flat()) {
      loop(state_of, [](std::size_t row) { return row; });
    } else {
      loop(state_of, [&](std::size_t row) { return values.index(row); });
    }
  });
}

template <class State>
void start(std::byte* state) {
  ::new (static_cast<void*>(state)) State();
}

/// result(state, value) -> whether it is not NULL; or result(state, value, texts).
template <class State, class T, class F>
void finish_with(std::byte* const* groups, std::size_t count, std::size_t offset, VectorBuffer& out,
                 [[maybe_unused]] TextArena& texts, F result) {
  T* const values = out.values<T>(count);
  std::uint64_t* const valid = out.valid(count);
  for (std::size_t i = 0; i < count; ++i) {
    const State& state = *reinterpret_cast<const State*>(groups[i] + offset);
    bool has_value;
    if constexpr (std::is_invocable_v<F, const State&, T&, TextArena&>)
      has_value = result(state, values[i], texts);
    else
      has_value = result(state, values[i]);
    if (has_value) continue;
    values[i] = T{};
    clear_bit(valid, i);
  }
}

/// The function with these states. `add` takes a call, `merge` (to, from, texts).
template <class State, class T, class Add, class Merge, class Result>
AggregateFunction make(std::string_view name, std::vector<Type> parameters, Type result, Add, Merge,
                       Result) {
  // The functors have no state: they are types.
  static_assert(std::is_empty_v<Add> && std::is_empty_v<Merge> && std::is_empty_v<Result>);
  AggregateFunction made{.name = std::string(name),
                         .parameters = std::move(parameters),
                         .result = result,
                         .state_bytes = sizeof(State),
                         .state_alignment = alignof(State)};
  made.start = start<State>;
  made.add = [](const AggregateCall& call) { Add{}(call); };
  made.merge = [](std::byte* to, const std::byte* from, TextArena& texts) {
    Merge{}(*reinterpret_cast<State*>(to), *reinterpret_cast<const State*>(from), texts);
  };
  made.finish = [](std::byte* const* groups, std::size_t count, std::size_t offset,
                   VectorBuffer& out, TextArena& texts) {
    finish_with<State, T>(groups, count, offset, out, texts, Result{});
  };
  return made;
}

}  // namespace grappa::query
