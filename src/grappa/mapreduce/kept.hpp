#pragma once

// Kept<T>: the type in which a value of a dataset is kept beyond the call that is given it.
//
//   static_assert(std::is_same_v<Kept<std::pair<std::string_view, int>>,
//                                std::pair<std::string, int>>);
//
// Steps see text as std::string_view, so that nobody copies a line or a word that is only looked
// at; what is kept, is kept as std::string.

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace grappa::mapreduce {

namespace detail {

template <class T>
struct KeptOf {
  using Type = T;
};
template <>
struct KeptOf<std::string_view> {
  using Type = std::string;
};
template <class A, class B>
struct KeptOf<std::pair<A, B>> {
  using Type = std::pair<typename KeptOf<std::remove_cvref_t<A>>::Type,
                         typename KeptOf<std::remove_cvref_t<B>>::Type>;
};
template <class T>
struct KeptOf<std::vector<T>> {
  using Type = std::vector<typename KeptOf<T>::Type>;
};
template <class... Ts>
struct KeptOf<std::tuple<Ts...>> {
  using Type = std::tuple<typename KeptOf<std::remove_cvref_t<Ts>>::Type...>;
};

}  // namespace detail

template <class T>
using Kept = typename detail::KeptOf<std::remove_cvref_t<T>>::Type;

namespace detail {

/// K: the kept type of the value.
template <class K, class Value>
K kept(Value&& value) {
  if constexpr (std::is_constructible_v<K, Value&&>) {
    return K(std::forward<Value>(value));
  } else {  // a vector of texts
    return K(value.begin(), value.end());
  }
}

}  // namespace detail

}  // namespace grappa::mapreduce
