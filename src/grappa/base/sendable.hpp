#pragma once

// What travels as plain bytes between cores and locales, and what never does. What is neither can
// be serialized (serialize.hpp).

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace grappa {

/// True when an object can be moved to another core or locale as plain bytes. Specialize it only
/// for types whose bytes are their meaning everywhere.
template <class T>
struct IsSendable : std::bool_constant<std::is_trivially_copy_constructible_v<T> &&
                                       std::is_trivially_destructible_v<T>> {};

template <class A, class B>
struct IsSendable<std::pair<A, B>>
    : std::bool_constant<IsSendable<A>::value && IsSendable<B>::value> {};

template <class T>
inline constexpr bool kIsSendable = IsSendable<std::remove_cv_t<T>>::value;

namespace internal {

/// Whether a T means something in one process only: it points to memory of that process.
template <class T>
inline constexpr bool kIsOfOneProcess = std::is_pointer_v<T> || std::is_reference_v<T>;
template <class C, class Traits>
inline constexpr bool kIsOfOneProcess<std::basic_string_view<C, Traits>> = true;
template <class T, std::size_t N>
inline constexpr bool kIsOfOneProcess<std::span<T, N>> = true;
template <class... Ts>
inline constexpr bool kIsOfOneProcess<std::tuple<Ts...>> =
    std::disjunction_v<std::bool_constant<kIsOfOneProcess<Ts>>...>;
template <class A, class B>
inline constexpr bool kIsOfOneProcess<std::pair<A, B>> = kIsOfOneProcess<std::tuple<A, B>>;

}  // namespace internal
}  // namespace grappa
