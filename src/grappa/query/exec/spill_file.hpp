#pragma once

// SpillFile: what does not fit into memory, in a temporary file that has no name.
//
//   SpillFile file("/tmp");
//   const std::int64_t place = file.append({rows, texts});       // any core
//   file.read(place, bytes);
//
// Errors: an Error that names the folder where it cannot be written, for one because the disk is
// full.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "grappa/io/unnamed_file.hpp"

namespace grappa::query {

class SpillFile {
 public:
  explicit SpillFile(std::string folder);

  /// The parts one after the other; returns where they begin.
  std::int64_t append(std::initializer_list<std::span<const std::byte>> parts);
  void read(std::int64_t place, std::span<std::byte> to) const;

 private:
  io::UnnamedFile file_;
  std::atomic<std::int64_t> end_{0};
};

}  // namespace grappa::query
