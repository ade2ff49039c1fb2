#pragma once

// What the compiler says about closures and values that cannot travel, or cannot be called.

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "grappa/base/sendable.hpp"
#include "grappa/base/serialize.hpp"

namespace grappa {

namespace internal {
template <class T>
struct ZeroBytes {
  unsigned char bytes[sizeof(T)];
};
/// Bytes can be turned into a T by the compiler, which does so for no T with a pointer or reference
/// in it (GCC 12 does not look into arrays, though).
template <class T>
concept MadeOfNumbers = std::is_trivially_copyable_v<T> && sizeof(T) <= 1024 && requires {
  typename std::bool_constant<(static_cast<void>(__builtin_bit_cast(T, ZeroBytes<T>{})), true)>;
};

/// False when no T holds a pointer or a reference, but for arrays of them. True does not mean that
/// some does: C++ does not tell what a closure captures.
template <class T>
inline constexpr bool kMayHoldPointer = sizeof(T) >= sizeof(void*) && !std::is_arithmetic_v<T> &&
                                        !std::is_enum_v<T> && !internal::MadeOfNumbers<T>;
template <class T>
inline constexpr bool kMayHoldPointer<std::optional<T>> = kMayHoldPointer<T>;
template <class A, class B>
inline constexpr bool kMayHoldPointer<std::pair<A, B>> = kMayHoldPointer<A> || kMayHoldPointer<B>;

/// The same for references alone: there is none in what has standard layout.
template <class T>
inline constexpr bool kMayHoldReference = kMayHoldPointer<T> && !std::is_standard_layout_v<T>;

/// Fails to compile when T cannot be the type of objects in global memory.
template <class T>
constexpr bool require_object() {
  static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>,
                "grappa: elements of global memory are objects that can be written: T must not be "
                "const, volatile or a reference.");
  return true;
}

/// The same for what every process of a run may read.
template <class T>
constexpr bool require_shared_object() {
  require_object<T>();
  static_assert(!kIsOfOneProcess<T>,
                "grappa: pointers, std::string_view and std::span point into the memory of one "
                "process and mean nothing in another one. Keep the values themselves, a "
                "ShortString, or a GlobalAddress.");
  return true;
}

/// The same for what containers keep, which travels as plain bytes or serialized.
template <class T>
constexpr bool require_kept() {
  require_shared_object<T>();
  require_payload<T>();
  return true;
}

/// Fails to compile, with a readable message, when F cannot travel.
template <class F>
constexpr void require_closure() {
  static_assert(
      kIsSendable<F>,
      "grappa: this closure cannot be sent to another core: it (or something it captures, such "
      "as a std::string, std::vector or std::shared_ptr) is not trivially copyable. Capture "
      "plain values and GlobalAddress/GlobalArray handles instead, and give the others as "
      "arguments behind the closure, as in delegate::call(core, [](std::string& s) { ... }, s).");
  static_assert(!std::is_pointer_v<F> || !std::is_function_v<std::remove_pointer_t<F>>,
                "grappa: a pointer to a function means nothing in another process. Pass a lambda "
                "that calls the function instead.");
}

/// Each of these fails to compile, with a readable message, when F does not take what it is called
/// with: as a task, and at a global address.
template <class F>
constexpr void require_callable() {
  static_assert(std::is_invocable_v<F&>,
                "grappa: this closure is called without arguments. Capture what it needs.");
}
template <class F, class T>
constexpr void require_callable_at() {
  static_assert(std::is_invocable_v<F&, T&>,
                "grappa: this closure is called with the object at the address, and with nothing "
                "else: [=](T& x) { ... }, where T is the type of the object.");
}

/// As the body of a loop: over indices, their ranges, and elements.
template <class F>
constexpr void require_body() {
  static_assert(std::is_invocable_v<F&, std::int64_t>,
                "grappa: the body of this loop is called with the index, and with nothing else: "
                "[=](std::int64_t i) { ... }.");
}
template <class F>
constexpr void require_range_body() {
  static_assert(std::is_invocable_v<F&, std::int64_t, std::int64_t>,
                "grappa: the body of this loop is called with the first index and the one behind "
                "the last: [=](std::int64_t begin, std::int64_t end) { ... }.");
}
template <class F, class T>
constexpr void require_element_body() {
  static_assert(std::is_invocable_v<F&, T&> || std::is_invocable_v<F&, std::int64_t, T&>,
                "grappa: the body of this loop is called with the element, or with the index and "
                "the element: [=](T& x) { ... } or [=](std::int64_t i, T& x) { ... }, where T is "
                "the type of the elements.");
}

/// As what a reduction or scan combines two values of type T by.
template <class Op, class T>
constexpr void require_operation() {
  static_assert(std::is_invocable_r_v<T, Op&, T&, T&>,
                "grappa: the operation of a reduction or scan is called with two values, and its "
                "result is one, too: [](T a, T b) { return ...; }, where T is their type.");
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

}  // namespace internal

}  // namespace grappa
