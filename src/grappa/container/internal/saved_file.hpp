#pragma once

// The file in which a container is saved: what it is, and then blocks of bytes.
//
//   const std::string name = internal::saved_name<std::int64_t>("GlobalVector");
//   internal::SavedFileWriter file("words.saved", name);
//   file.write_values(std::span(values));
//   file.commit();                                 // only now is there a words.saved
//
//   internal::SavedFileReader saved("words.saved", name);
//   std::vector<std::int64_t> some;
//   while (saved.next_values(some)) use(some);
//
// Numbers are as they lie in memory, so files are of machines of one kind. Errors: UsageError for a
// file that cannot be opened, holds something else or is cut off; Error if it cannot be written.
// Reading and writing block the thread, never suspend the task.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/base/serialize.hpp"
#include "grappa/base/whole_file.hpp"

namespace grappa::internal {

class SavedFileWriter {
 public:
  SavedFileWriter(const std::string& path, std::string_view what);
  void write(std::span<const std::byte> block);
  /// A block of values: their bytes, or what they are serialized to.
  template <class T>
  void write_values(std::span<const T> values) {
    if constexpr (kIsSendable<T>) {
      write(std::as_bytes(values));
    } else {
      write(to_bytes(std::vector<T>(values.begin(), values.end())));
    }
  }
  void commit();

 private:
  WholeFile file_;
};

class SavedFileReader {
 public:
  SavedFileReader(const std::string& path, std::string_view what);
  /// False behind the last block.
  bool next(std::vector<std::byte>& block);
  /// The next block is the bytes of a value.
  template <class T>
  bool next_value(T& value) {
    std::vector<std::byte> block;
    if (!next(block)) return false;
    try {
      value = from_bytes<T>(block);
    } catch (const Error& error) {
      refuse(error.what());
    }
    return true;
  }
  /// The next block is what write_values() has written.
  template <class T>
  bool next_values(std::vector<T>& values) {
    if constexpr (kIsSendable<T>) {
      std::vector<std::byte> block;
      if (!next(block)) return false;
      const auto* const first = reinterpret_cast<const T*>(block.data());
      values.assign(first, first + block.size() / sizeof(T));
      return true;
    } else {
      return next_value(values);
    }
  }
  /// Throws UsageError, which names the file.
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  void read(void* to, std::size_t bytes);

  std::string path_;
  std::ifstream file_;
};

/// What a file says of values of such a type: "integers of 8 bytes". Integers of all types of one
/// size are the same.
template <class T>
std::string saved_type() {
  if constexpr (std::is_same_v<T, std::string>) return "strings";
  if constexpr (std::is_same_v<T, bool>) return "booleans";
  const std::string size = std::to_string(sizeof(T)) + " bytes";
  if constexpr (std::is_floating_point_v<T>) return "floating-point numbers of " + size;
  if constexpr (std::is_integral_v<T>)
    return (std::is_signed_v<T> ? "integers of " : "unsigned integers of ") + size;
  const std::string name = demangled_type_name(typeid(T));
  return kIsSendable<T> ? name + " of " + size : name;
}

/// "a GlobalHashMap of integers of 8 bytes and strings"
template <class... Ts>
std::string saved_name(std::string_view container) {
  std::string name;
  ((name += (name.empty() ? "a " + std::string(container) + " of " : " and ") + saved_type<Ts>()),
   ...);
  return name;
}

}  // namespace grappa::internal
