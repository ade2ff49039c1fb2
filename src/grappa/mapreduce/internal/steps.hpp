#pragma once

// Steps between a source and what is done with its values: each calls the next one for every value,
// inlined, so that a stage is one loop without copies of the values in between.
//
// As sources (sources.hpp), they are trivially copyable and have prepare(), run() and finish().

#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>

#include "grappa/container/key_traits.hpp"

namespace grappa::mapreduce::detail {

template <class Upstream>
struct Step {
  Upstream upstream;
  void prepare() const { upstream.prepare(); }
  std::int64_t finish() const { return upstream.finish(); }
};

template <class Upstream, class F>
struct MapStep : Step<Upstream> {
  using Value = std::invoke_result_t<F&, typename Upstream::Value>;
  F f;

  template <class Sink>
  void run(Sink& sink) const {
    auto each = [&sink, call = f](auto&& value) mutable {
      sink(call(std::forward<decltype(value)>(value)));
    };
    this->upstream.run(each);
  }
};

template <class Upstream, class F>
struct FilterStep : Step<Upstream> {
  using Value = typename Upstream::Value;
  F keeps;

  template <class Sink>
  void run(Sink& sink) const {
    auto each = [&sink, test = keeps](auto&& value) mutable {
      if (test(std::as_const(value))) sink(std::forward<decltype(value)>(value));
    };
    this->upstream.run(each);
  }
};

/// f(value, emit), which calls emit(T) as often as it likes.
template <class Upstream, class T, class F>
struct EmitStep : Step<Upstream> {
  using Value = T;
  F f;

  template <class Sink>
  void run(Sink& sink) const {
    auto each = [&sink, call = f](auto&& value) mutable {
      call(std::forward<decltype(value)>(value), [&sink](auto&& made) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(made)>, T>) {
          sink(std::forward<decltype(made)>(made));
        } else {
          sink(T(std::forward<decltype(made)>(made)));
        }
      });
    };
    this->upstream.run(each);
  }
};

/// f(value) is a range, whose elements are the new values.
template <class Upstream, class F>
struct RangeStep : Step<Upstream> {
  using Value = std::ranges::range_value_t<std::invoke_result_t<F&, typename Upstream::Value>>;
  F f;

  template <class Sink>
  void run(Sink& sink) const {
    auto each = [&sink, call = f](auto&& value) mutable {
      for (auto&& made : call(std::forward<decltype(value)>(value))) sink(std::move(made));
    };
    this->upstream.run(each);
  }
};

}  // namespace grappa::mapreduce::detail
