#pragma once

// A file without a name in the folder for temporary files: it is gone with the last process that
// has it open, however that ends. Processes on one machine exchange arrays through it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace grappa::bench {

class UnnamedFile {
 public:
  /// Empty. Not inherited by programs that are started.
  UnnamedFile();
  ~UnnamedFile();
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// By which any process of this user on this machine can open it, as long as this object is
  /// there.
  std::string path() const;

  /// From the beginning. Error where there is no room.
  void write(std::span<const std::byte> bytes);
  /// From `offset` on, as many as there are up to bytes.size(); returns how many.
  std::size_t read(std::span<std::byte> bytes, std::size_t offset = 0) const;
  std::size_t size() const;

 private:
  int descriptor_ = -1;
};

}  // namespace grappa::bench
