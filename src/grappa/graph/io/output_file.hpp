#pragma once

// A file that appears whole or not at all.
//
//   OutputFile out("ranks.tsv.gz");     // compressed as the name says
//   out.write("1\t0.25\n");
//   out.commit();                       // only now is there a ranks.tsv.gz
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

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "grappa/graph/io/format.hpp"

namespace grappa::graph {

namespace io {
class Compressor;
}

class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  void commit();

  const std::string& path() const noexcept { return path_; }
  /// Bytes given to write() so far.
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  void open();
  bool open_nameless(const std::string& folder);
  void open_temporary();
  void link_nameless();
  void write_descriptor(std::string_view bytes);
  std::string temporary_name() const;
  [[noreturn]] void fail(std::string_view what, int error) const;

  std::string path_;         // as given
  std::string destination_;  // links followed; empty: written to directly
  std::string temporary_;    // the name it has now; empty: none
  int descriptor_ = -1;
  bool owns_descriptor_ = true;
  std::int64_t bytes_ = 0;
  std::unique_ptr<io::Compressor> compressor_;
};

}  // namespace grappa::graph
