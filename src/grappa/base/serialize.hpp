#pragma once

// Values as bytes, to be sent to another locale or written to a file, and back.
//
//   struct Found {
//     std::string file;
//     std::vector<std::optional<int>> lines;
//     static constexpr auto kMembers = std::tuple(&Found::file, &Found::lines);
//   };
//   std::vector<std::byte> bytes = to_bytes(Found{"web.txt", {1, {}, 7}});
//   auto found = from_bytes<Found>(bytes);
//
// A value is
//   - what can be copied byte by byte (base/sendable.hpp) and holds no address;
//   - a std::pair, tuple, array, optional or variant of values;
//   - a container of values that has a size and takes insertions at its end, as strings, vectors,
//     deques, lists, sets and maps of the standard library do, ordered or not;
//   - a class that lists its members once, in kMembers; for a class template, or a class of
//     somebody else's, behind it:
//       template <>
//       inline constexpr auto grappa::kMembersOf<Point> = std::tuple(&Point::x, &Point::y);
//     Without a default constructor it is made of its members, in that order.
// Anything else is an error at compile time, which names the member.
//
// Containers are preceded by their length in 8 bytes. In the processor's byte order.
// Errors: bytes that are no such value are an Error; nothing is allocated for a length that cannot
// be true. Any thread.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "grappa/base/sendable.hpp"

namespace grappa {

namespace internal {
struct NotListed {};

template <class T>
constexpr auto listed_members() {
  if constexpr (requires { T::kMembers; }) {
    return T::kMembers;
  } else {
    return NotListed{};
  }
}
}  // namespace internal

/// Pointers to the members of T that make up its value, in a tuple.
template <class T>
inline constexpr auto kMembersOf = internal::listed_members<T>();

namespace internal {

template <class T, template <class...> class Of>
inline constexpr bool kIsOf = false;
template <template <class...> class Of, class... Ts>
inline constexpr bool kIsOf<Of<Ts...>, Of> = true;
template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t n>
inline constexpr bool kIsArray<std::array<T, n>> = true;

/// Lists its members.
template <class T>
concept Listed = !std::is_same_v<std::remove_cv_t<decltype(kMembersOf<T>)>, NotListed>;

/// Copied byte by byte. The bytes of an optional or variant may be no value.
template <class T>
concept Flat = kIsSendable<T> && std::is_object_v<T> && !Listed<T> && !kIsOfOneProcess<T> &&
               !kIsOf<T, std::optional> && !kIsOf<T, std::variant>;

/// Its parts follow one another.
template <class T>
concept Parts = kIsOf<T, std::pair> || kIsOf<T, std::tuple> || kIsArray<T>;

template <class T>
concept Growing =
    std::ranges::sized_range<T> && std::default_initializable<T> &&
    std::same_as<typename T::value_type, std::ranges::range_value_t<T>> &&
    requires(T to, typename T::value_type element) { to.insert(to.end(), std::move(element)); };

template <class T, auto member>
using MemberType = std::remove_cvref_t<decltype(std::declval<T&>().*member)>;

template <class T>
constexpr void require_value_of_bytes();

template <class T, auto member>
constexpr void require_member() {
  require_value_of_bytes<MemberType<T, member>>();
}

/// Fails to compile for what is no value in the sense above. By addresses, not calls: a type may
/// contain itself, in a vector.
template <class T>
constexpr void require_value_of_bytes() {
  static_assert(
      Listed<T> || Flat<T> || Parts<T> || kIsOf<T, std::optional> || kIsOf<T, std::variant> ||
          Growing<T>,
      "grappa: a value of this type (T; the lines around this one name the member that has it) "
      "cannot be sent or written: it is a reference, a pointer or a view, or has neither plain "
      "bytes nor a list of its members. Give its class "
      "`static constexpr auto kMembers = std::tuple(&Class::member, ...);`.");
  if constexpr (Listed<T>) {
    []<std::size_t... i>(std::index_sequence<i...>) {
      (static_cast<void>(&require_member<T, std::get<i>(kMembersOf<T>)>), ...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_cv_t<decltype(kMembersOf<T>)>>>());
  } else if constexpr (Flat<T>) {
    return;
  } else if constexpr (kIsArray<T> || Growing<T>) {
    static_cast<void>(&require_value_of_bytes<typename T::value_type>);
  } else if constexpr (Parts<T> || kIsOf<T, std::optional> || kIsOf<T, std::variant>) {
    []<template <class...> class Of, class... Ts>(const std::type_identity<Of<Ts...>>&) {
      (static_cast<void>(&require_value_of_bytes<std::remove_cv_t<Ts>>), ...);
    }(std::type_identity<T>());
  }
}

/// The same for what travels as plain bytes where it can.
template <class T>
constexpr void require_payload() {
  if constexpr (!kIsSendable<T>) require_value_of_bytes<T>();
}

/// Appends the bytes of a value to `out`.
template <class Out, class T>
void put(Out& out, const T& value) {
  const auto put_parts = [&out](const auto&... parts) { (put(out, parts), ...); };
  if constexpr (Listed<T>) {
    std::apply([&](auto... members) { put_parts(value.*members...); }, kMembersOf<T>);
  } else if constexpr (Flat<T>) {
    out.append(&value, sizeof value);
  } else if constexpr (Parts<T>) {
    std::apply(put_parts, value);
  } else if constexpr (kIsOf<T, std::optional>) {
    put(out, value.has_value());
    if (value) put(out, *value);
  } else if constexpr (kIsOf<T, std::variant>) {
    put(out, static_cast<std::uint8_t>(value.index()));
    std::visit(put_parts, value);
  } else if constexpr (Growing<T>) {
    using Element = typename T::value_type;
    put(out, std::uint64_t{value.size()});
    if constexpr (std::ranges::contiguous_range<T> && Flat<Element>) {
      if (!value.empty()) out.append(value.data(), value.size() * sizeof(Element));
    } else {
      for (auto&& element : value) put<Out, Element>(out, element);
    }
  }
}

/// Counts the bytes of values.
struct ByteCounter {
  std::size_t count = 0;
  void append(const void*, std::size_t bytes) { count += bytes; }
};

/// Writes values to memory, which ends the process if they do not just fill it.
class MemoryWriter {
 public:
  explicit MemoryWriter(std::span<std::byte> to) : to_(to) {}
  void append(const void* from, std::size_t bytes) {
    if (bytes > to_.size()) [[unlikely]]
      refuse();
    std::memcpy(to_.data(), from, bytes);
    to_ = to_.subspan(bytes);
  }
  void finish() const {
    if (!to_.empty()) [[unlikely]]
      refuse();
  }

 private:
  [[noreturn]] static void refuse() noexcept;

  std::span<std::byte> to_;
};

}  // namespace internal

/// The number of bytes that a value takes.
template <class T>
std::size_t byte_count(const T& value) {
  internal::require_value_of_bytes<T>();
  internal::ByteCounter counter;
  internal::put(counter, value);
  return counter.count;
}

/// Values one after the other.
class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    internal::require_value_of_bytes<T>();
    internal::put(*this, value);
  }
  /// Without the length.
  template <class T, std::size_t n>
  void put_span(std::span<T, n> values) {
    append(values.data(), values.size_bytes());
  }
  // Not inlined: GCC 12 then warns of writing beyond the end, which is not so.
  [[gnu::noinline]] void append(const void* from, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + bytes);
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() && { return std::move(bytes_); }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads values, which it copies, in the order in which they were put.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    internal::require_value_of_bytes<T>();
    if constexpr (internal::Listed<T>) {
      return get_listed<T>();
    } else if constexpr (std::is_same_v<T, bool>) {
      const auto bit = get<std::uint8_t>();
      if (bit > 1) refuse();
      return bit != 0;
    } else if constexpr (internal::Flat<T>) {
      alignas(T) std::byte copy[sizeof(T)];
      take(copy);
      return *std::launder(reinterpret_cast<T*>(copy));
    } else if constexpr (internal::Parts<T>) {
      return get_parts<T>(std::make_index_sequence<std::tuple_size_v<T>>());
    } else if constexpr (internal::kIsOf<T, std::optional>) {
      return get<bool>() ? T(get<typename T::value_type>()) : T();
    } else if constexpr (internal::kIsOf<T, std::variant>) {
      return get_alternative<T>(std::make_index_sequence<std::variant_size_v<T>>());
    } else if constexpr (internal::Growing<T>) {
      return get_container<T>();
    }
  }
  template <class T, std::size_t n>
  void get_span(std::span<T, n> values) {
    take(std::as_writable_bytes(values));
  }

  /// What has not been read.
  std::span<const std::byte> rest() const { return bytes_; }
  void expect_end() const;

 private:
  void take(std::span<std::byte> to) {
    if (to.size() > bytes_.size()) [[unlikely]]
      refuse();
    if (!to.empty()) std::memcpy(to.data(), bytes_.data(), to.size());
    bytes_ = bytes_.subspan(to.size());
  }
  [[noreturn]] static void refuse();

  template <class T>
  T get_listed() {
    return std::apply(
        [&]<class... Members>(Members... members) {
          if constexpr (std::default_initializable<T>) {
            T value{};
            ((value.*members = get<std::remove_cvref_t<decltype(value.*members)>>()), ...);
            return value;
          } else {  // braces: in this order
            return T{get<std::remove_cvref_t<decltype(std::declval<T&>().*members)>>()...};
          }
        },
        kMembersOf<T>);
  }

  template <class T, std::size_t... i>
  T get_parts(std::index_sequence<i...>) {
    return T{get<std::remove_cv_t<std::tuple_element_t<i, T>>>()...};
  }

  template <class T, std::size_t... i>
  T get_alternative(std::index_sequence<i...>) {
    const auto index = get<std::uint8_t>();
    std::optional<T> value;
    ((index == i
          ? void(value.emplace(std::in_place_index<i>, get<std::variant_alternative_t<i, T>>()))
          : void()),
     ...);
    if (!value) refuse();
    return *std::move(value);
  }

  template <class T>
  T get_container() {
    using Element = typename T::value_type;
    const auto size = get<std::uint64_t>();
    const std::size_t least = internal::Flat<Element> ? sizeof(Element) : 1;
    if (size > bytes_.size() / least) refuse();
    T value;
    if constexpr (std::ranges::contiguous_range<T> && internal::Flat<Element> &&
                  std::default_initializable<Element> && !std::is_same_v<Element, bool>) {
      value.resize(size);
      get_span(std::span(value));
    } else {
      for (std::uint64_t i = 0; i < size; ++i) {
        if constexpr (requires { value.emplace_back(get<Element>()); }) {
          value.emplace_back(get<Element>());
        } else {
          value.insert(value.end(), get<Element>());
        }
      }
      if (value.size() != size) refuse();  // a key that is there twice
    }
    return value;
  }

  std::span<const std::byte> bytes_;
};

template <class T>
std::vector<std::byte> to_bytes(const T& value) {
  ByteWriter out;
  out.put(value);
  return std::move(out).take();
}

template <class T>
T from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  T value = in.get<T>();
  in.expect_end();
  return value;
}

}  // namespace grappa
