#pragma once

// The file in which a container is saved: what it is, and then blocks of bytes.
//
//   internal::SavedFileWriter file("words.saved", "a GlobalVector of 8 bytes");
//   file.write(std::as_bytes(std::span(values)));
//   file.commit();                                 // only now is there a words.saved
//
//   internal::SavedFileReader saved("words.saved", "a GlobalVector of 8 bytes");
//   std::vector<std::byte> block;
//   while (saved.next(block)) use(block);
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
#include <vector>

#include "grappa/base/whole_file.hpp"

namespace grappa::internal {

class SavedFileWriter {
 public:
  SavedFileWriter(const std::string& path, std::string_view what);
  void write(std::span<const std::byte> block);
  void commit();

 private:
  WholeFile file_;
};

class SavedFileReader {
 public:
  SavedFileReader(const std::string& path, std::string_view what);
  /// False behind the last block.
  bool next(std::vector<std::byte>& block);

 private:
  void read(void* to, std::size_t bytes);

  std::string path_;
  std::ifstream file_;
};

/// "a GlobalHashMap of 8 and 16 bytes"; strings are of any number of them.
std::string saved_name(std::string_view container, std::size_t bytes);
std::string saved_name(std::string_view container, std::size_t key_bytes, std::size_t value_bytes);
template <class K>
constexpr std::size_t saved_key_bytes() {
  return std::is_same_v<K, std::string> ? 0 : sizeof(K);
}

/// The values that are a block.
template <class T>
std::span<const T> values_of_block(const std::vector<std::byte>& block) {
  return {reinterpret_cast<const T*>(block.data()), block.size() / sizeof(T)};
}

}  // namespace grappa::internal
