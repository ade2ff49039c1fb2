#pragma once

// Values as bytes, to be sent to another locale or written to a file, and back.
//
//   struct Found {
//     std::string file;
//     std::optional<std::int64_t> line;
//     static constexpr auto kMembers = std::tuple(&Found::file, &Found::line);
//   };
//   std::vector<std::byte> bytes = to_bytes(Found{"web.txt", 7});
//   auto found = from_bytes<Found>(bytes);
//
// A value is a number or another that can be copied byte by byte, a string, a vector, an optional
// or a variant of values, or an aggregate that lists its members once, in kMembers. Strings and
// vectors are preceded by their length in 8 bytes. In the processor's byte order.
// Errors: bytes that are no such value are an Error.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace grappa::graph {

namespace detail {

template <class T, template <class...> class Of>
inline constexpr bool kIs = false;
template <template <class...> class Of, class... Ts>
inline constexpr bool kIs<Of<Ts...>, Of> = true;

template <class T>
concept Listed = requires { T::kMembers; };

/// What is copied byte by byte; addresses mean nothing elsewhere.
template <class T>
concept Flat =
    std::is_trivially_copyable_v<T> && !Listed<T> && !std::is_pointer_v<T> &&
    !kIs<T, std::optional> && !kIs<T, std::variant> && !std::is_same_v<T, std::string_view>;

}  // namespace detail

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    if constexpr (detail::Listed<T>) {
      std::apply([&](auto... members) { (put(value.*members), ...); }, T::kMembers);
    } else if constexpr (std::is_same_v<T, std::string> || detail::kIs<T, std::vector>) {
      put(std::uint64_t{value.size()});
      if constexpr (detail::Flat<typename T::value_type>) {
        put_span(std::span(value));
      } else {
        for (const auto& element : value) put(element);
      }
    } else if constexpr (detail::kIs<T, std::optional>) {
      put(value.has_value());
      if (value) put(*value);
    } else if constexpr (detail::kIs<T, std::variant>) {
      put(static_cast<std::uint8_t>(value.index()));
      std::visit([this](const auto& alternative) { put(alternative); }, value);
    } else {
      static_assert(detail::Flat<T>, "list the members in kMembers");
      put_span(std::span<const T>(&value, 1));
    }
  }
  /// Without the length.
  template <class T, std::size_t n>
  void put_span(std::span<T, n> values) {
    append(std::as_bytes(values));
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  void append(std::span<const std::byte> bytes);

  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T value{};
    if constexpr (detail::Listed<T>) {
      std::apply([&](auto... members) { (get_into(value.*members), ...); }, T::kMembers);
    } else if constexpr (std::is_same_v<T, std::string> || detail::kIs<T, std::vector>) {
      using Element = typename T::value_type;
      const auto size = get<std::uint64_t>();
      const std::size_t least = detail::Flat<Element> ? sizeof(Element) : 1;
      if (size > bytes_.size() / least) refuse();
      value.resize(size);
      if constexpr (detail::Flat<Element>) {
        get_span(std::span(value));
      } else {
        for (Element& element : value) get_into(element);
      }
    } else if constexpr (detail::kIs<T, std::optional>) {
      if (get<bool>()) get_into(value.emplace());
    } else if constexpr (detail::kIs<T, std::variant>) {
      get_alternative(value, std::make_index_sequence<std::variant_size_v<T>>());
    } else {
      static_assert(detail::Flat<T>, "list the members in kMembers");
      get_span(std::span<T>(&value, 1));
    }
    return value;
  }
  template <class T, std::size_t n>
  void get_span(std::span<T, n> values) {
    take(std::as_writable_bytes(values));
  }

  /// What has not been read.
  std::span<const std::byte> rest() const { return bytes_; }
  void expect_end() const;

 private:
  void take(std::span<std::byte> to);
  [[noreturn]] static void refuse();

  template <class T>
  void get_into(T& value) {
    value = get<T>();
  }

  template <class Variant, std::size_t... i>
  void get_alternative(Variant& value, std::index_sequence<i...>) {
    const auto index = get<std::uint8_t>();
    if (index >= sizeof...(i)) refuse();
    ((index == i ? get_into(value.template emplace<i>()) : void()), ...);
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

}  // namespace grappa::graph
