#pragma once

// Files that must not change while they are read.
//
//   EdgeList list = read_unchanged({path}, [&] { return read(path); });
//
// What is read from a file that another program shortens or writes to is neither its old nor its
// new content: that is the error, whatever the reader has made of it. A file that is replaced by
// another of the same name is read to its end as it was.

#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::graph::io {

class FileStates {
 public:
  /// "-" is standard input. What is not a regular file is not looked at.
  explicit FileStates(const std::vector<std::string>& paths);
  /// InputError for the first that has changed.
  void check() const;

 private:
  std::vector<std::pair<std::string, struct stat>> states_;
};

/// What read() returns or throws, unless one of the files has changed meanwhile.
template <class Read>
auto read_unchanged(const std::vector<std::string>& paths, const Read& read) {
  const FileStates before(paths);
  try {
    auto result = read();
    before.check();
    return result;
  } catch (const InputError&) {
    before.check();
    throw;
  }
}

}  // namespace grappa::graph::io
