#pragma once

// A temporary file without a name: it is gone with the last process that has it open, however that
// ends.
//
//   UnnamedFile file(temporary_folder());
//   file.write(bytes);
//   use(file.path());                // by which other processes on this machine can open it
//
// Errors: an Error that names the folder, for one where the disk is full. Any thread, also several
// at once; no call switches tasks.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace grappa::io {

/// Where temporary files are: $TMPDIR, or /tmp.
std::string temporary_folder();

class UnnamedFile {
 public:
  /// Empty. Not inherited by programs that are started. `advice`: what errors end with.
  explicit UnnamedFile(std::string folder = temporary_folder(), std::string advice = {});
  ~UnnamedFile();
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// For processes of this user, as long as this object is there.
  std::string path() const;

  void write(std::span<const std::byte> bytes, std::int64_t place = 0) const;
  /// As many as there are up to to.size(); returns how many.
  std::size_t read(std::span<std::byte> to, std::int64_t place = 0) const;
  std::size_t size() const;

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  std::string folder_;
  std::string advice_;
  int descriptor_ = -1;
};

}  // namespace grappa::io
