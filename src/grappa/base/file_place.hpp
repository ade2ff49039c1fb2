#pragma once

// A file that several processes of a machine write parts of at the same time.
//
//   if (const std::optional<FilePlace> place = whole_file.place()) …    // who has made it
//   const FileParts parts(*place);                                      // any process
//   if (parts.is_open()) parts.write(offset, bytes);
//
// What is written has to have ended before the file is committed. Errors: Error if it cannot be
// written ("No space left on device"). Any threads. Writing blocks the thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace grappa::internal {

struct FilePlace {
  std::string name;     // for messages
  std::string machine;  // which one, and since when it runs
  std::string path;     // of the descriptor of who has made it
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  static constexpr auto kMembers =
      std::tuple(&FilePlace::name, &FilePlace::machine, &FilePlace::path, &FilePlace::device,
                 &FilePlace::inode);
};

/// Of a regular file that this process has open; else nothing.
std::optional<FilePlace> place_of(int descriptor, std::string name);

class FileParts {
 public:
  explicit FileParts(const FilePlace& place);
  FileParts(const FileParts&) = delete;
  FileParts& operator=(const FileParts&) = delete;
  ~FileParts();

  /// Whether the file can be reached from here.
  bool is_open() const noexcept { return descriptor_ >= 0; }
  void write(std::int64_t offset, std::string_view bytes) const;

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace grappa::internal
