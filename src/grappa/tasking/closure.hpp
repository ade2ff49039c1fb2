#pragma once

// What may travel: the trait of closures that are copied as bytes between cores and locales.

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

/// Fails to compile, with a readable message, when F cannot travel.
template <class F>
constexpr void require_closure() {
  static_assert(
      kIsSendable<F>,
      "grappa: this closure cannot be sent to another core: it (or something it captures, such "
      "as a std::string, std::vector or std::shared_ptr) is not trivially copyable. Capture "
      "plain values and GlobalAddress/GlobalArray handles instead, or send the payload "
      "through a serializer.");
  static_assert(!std::is_pointer_v<F> || !std::is_function_v<std::remove_pointer_t<F>>,
                "grappa: a pointer to a function means nothing in another process. Pass a lambda "
                "that calls the function instead.");
}

/// The same for a value that an argument gives, or the element of a container.
template <class T>
constexpr void require_value() {
  static_assert(
      kIsSendable<T>,
      "grappa: this value (T) cannot be sent to another core, because it is not trivially "
      "copyable. Use numbers, arrays of them, std::pair, a struct of such members, or "
      "ShortString.");
}

}  // namespace grappa
