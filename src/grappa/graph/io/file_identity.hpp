#pragma once

// A short description of a file, to tell whether two machines have the same one.
//
//   if (identify_file("web.txt") != of_the_other) refuse();
//
// Reads some 100 KiB at most. Throws nothing: `error` holds the system's errno.

#include <cstdint>
#include <string>

namespace grappa::graph::io {

struct FileIdentity {
  int error = 0;         // errno where it cannot be read
  bool regular = false;  // else a folder, a pipe, a device
  bool compressed = false;
  std::uint64_t bytes = 0;
  std::uint64_t sample = 0;  // hash of its beginning, its end and places between

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Reads nothing from a pipe.
FileIdentity identify_file(const std::string& path);

}  // namespace grappa::graph::io
