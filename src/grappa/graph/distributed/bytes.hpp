#pragma once

// Values and texts one after the other, to be sent to another locale or written to a file.
//
//   ByteWriter out;
//   out.put(std::int64_t{7});
//   out.put_text("web.txt");
//
//   ByteReader in(out.bytes());
//   auto n = in.get<std::int64_t>();
//   std::string name = in.get_text();
//
// In the processor's byte order. Errors: reading past the end is an Error; what was read before it
// is valid.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::graph {

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_span(std::span<const T>(&value, 1));
  }
  template <class T>
  void put_span(std::span<const T> values) {
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    put_span(std::span<const char>(text));
  }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }
  std::string text() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T value;
    get_span(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  void get_span(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::span<const std::byte> raw = take(values.size_bytes());
    if (!raw.empty()) std::memcpy(values.data(), raw.data(), raw.size());
  }
  std::string get_text() {
    const auto size = get<std::uint64_t>();
    const std::span<const std::byte> raw = take(size);
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }

  bool at_end() const { return bytes_.empty(); }
  std::size_t bytes_left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size()) throw Error("a message ends too early");
    const std::span<const std::byte> taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }

  std::span<const std::byte> bytes_;
};

}  // namespace grappa::graph
