#pragma once

// A file that appears whole or not at all.
//
//   WholeFile file("trace.json", "--trace");     // errors begin with "--trace: trace.json: "
//   file.write("[]\n");
//   file.commit();                               // only now is there a trace.json
//
// What is written goes to a file without a name in the same folder, or, if the file system does not
// support that, to a temporary name there; commit() replaces whatever had the final name. Destroyed
// without commit(), or killed, it leaves nothing behind (killed, perhaps the temporary name).
// Symbolic links are followed. "-" is standard output, where a reader that has closed its end is no
// error (if SIGPIPE is ignored); devices, pipes and what is open already (/dev/stdout, /dev/fd/N)
// are written to directly. Where nobody reads a fifo, a line on standard error says so. Errors:
// UsageError if the file cannot be created, or is there without permission to write to it; Error if
// it cannot be written ("No space left on device") or renamed. One thread at a time. Opening and
// writing block the thread, never suspend the task.

#include <optional>
#include <string>
#include <string_view>

#include "grappa/base/file_place.hpp"

namespace grappa::internal {

class WholeFile {
 public:
  explicit WholeFile(const std::string& path, std::string_view option = {});
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  void write(std::string_view bytes);
  void commit();

  /// Whether it takes the place of what has its name; otherwise it is written to directly.
  bool replaces() const noexcept { return !destination_.empty(); }
  /// For other processes, where it replaces a file.
  std::optional<FilePlace> place() const;

 private:
  void open(const std::string& path);
  bool open_nameless(const std::string& folder);
  void open_temporary();
  void link_nameless();
  std::string temporary_name() const;
  [[noreturn]] void fail(std::string_view what, int error) const;

  std::string name_;         // as given, for messages
  std::string destination_;  // links followed; empty: written to directly
  std::string temporary_;    // the name it has now; empty: none
  int descriptor_ = -1;
  bool owns_descriptor_ = true;
};

}  // namespace grappa::internal
