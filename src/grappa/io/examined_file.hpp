#pragma once

// A file that is to be read, opened and looked at once: what else is asked of it is answered from
// that, or read through the same descriptor.
//
//   ExaminedFile file("web.txt.gz");
//   if (file.is_on_disk()) use(file.identity());
//   Input input = Input::open(file);                    // input.hpp
//   use(input);
//   file.check_unchanged();
//
// What is read from a pipe is gone, so pipes, devices and standard input ("-") are neither opened
// nor read before Input::open, and nothing is known of them. Nothing is thrown for a file that is
// not there before somebody asks for its content.
// Errors: InputError. Thread safety: const members may be called from any number of threads.

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/io/compression/compression.hpp"

namespace grappa::io {

enum class Empty : std::uint8_t { kRefused, kAllowed };

/// A short description of a file, to tell whether two machines have the same one.
struct FileIdentity {
  int error = 0;         // errno where it cannot be read
  bool regular = false;  // else a folder, a pipe, a device
  bool compressed = false;
  std::uint64_t bytes = 0;
  std::uint64_t sample = 0;  // hash of its beginning, its end and places between

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

class ExaminedFile {
 public:
  explicit ExaminedFile(std::string path, Empty empty = Empty::kRefused);
  ExaminedFile(ExaminedFile&& other) noexcept;
  ExaminedFile& operator=(ExaminedFile&&) = delete;
  ~ExaminedFile();

  const std::string& path() const noexcept { return path_; }
  /// As errors call it.
  const std::string& name() const noexcept { return name_; }
  bool may_be_empty() const noexcept { return empty_ == Empty::kAllowed; }
  /// Whether its bytes can be read in any order, any number of times.
  bool is_on_disk() const noexcept { return descriptor_ >= 0 && status_.st_size > 0; }
  /// Whether they are on disk as they are to be read.
  bool is_plain() const noexcept { return is_on_disk() && compression_ == Compression::kNone; }
  /// By the first bytes, of what is on disk.
  Compression compression() const noexcept { return compression_; }
  std::uint64_t bytes() const noexcept { return static_cast<std::uint64_t>(status_.st_size); }
  /// Tells it, and itself after it has grown, from all other files of the machine.
  std::string number() const;
  /// The first bytes of what is on disk, up to 256 KiB, as they are there.
  std::string_view start() const noexcept { return start_; }
  /// Reads some 60 KiB more.
  FileIdentity identity() const;

  /// Throws where it cannot be opened, is a folder, or has nothing in it and may not.
  void check() const;
  /// Of what is on disk.
  int descriptor() const noexcept { return descriptor_; }
  void read(std::uint64_t begin, void* to, std::uint64_t bytes) const;
  /// To read from, once, what is not on disk. Waits for whoever writes to a pipe.
  int take_descriptor();

  /// Throws if another program has shortened the file or written to it meanwhile: what was read is
  /// then neither its old nor its new content. A file that is replaced by another of the same name
  /// is read to its end as it was.
  void check_unchanged() const;

 private:
  std::string path_;
  std::string name_;
  Empty empty_;
  int error_ = 0;  // errno
  struct stat status_ = {};
  int descriptor_ = -1;  // of a regular file
  std::string start_;
  Compression compression_ = Compression::kNone;
};

/// What read() returns or throws, unless the files have changed meanwhile: then that is the error,
/// whatever the reader has made of it.
template <class Examined, class Read>
auto read_unchanged(const Examined& files, const Read& read) {
  try {
    auto result = read();
    files.check_unchanged();
    return result;
  } catch (const InputError&) {
    files.check_unchanged();
    throw;
  }
}

}  // namespace grappa::io
