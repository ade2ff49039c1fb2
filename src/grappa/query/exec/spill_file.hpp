#pragma once

// SpillFile: what does not fit into memory, in a temporary file that has no name.
//
//   SpillFile file("/tmp");
//   const std::int64_t place = file.append({rows, texts});       // any core
//   file.read(place, bytes);
//
// The kernel removes it with the last descriptor, however the process ends. Errors: an Error that
// names the folder where it cannot be written, for one because the disk is full.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace grappa::query {

class SpillFile {
 public:
  explicit SpillFile(std::string folder);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// The parts one after the other; returns where they begin.
  std::int64_t append(std::initializer_list<std::span<const std::byte>> parts);
  void read(std::int64_t place, std::span<std::byte> to) const;

 private:
  [[noreturn]] void fail(const char* what, int error) const;
  void write(std::int64_t place, std::span<const std::byte> bytes) const;

  std::string folder_;
  int descriptor_ = -1;
  std::atomic<std::int64_t> end_{0};
};

/// Where temporary files are: $TMPDIR, or /tmp.
std::string temporary_folder();

}  // namespace grappa::query
