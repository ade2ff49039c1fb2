#pragma once

// Files that are on the disk, not only in the system's memory, when finish() returns.
//
//   DurableFile file("DIR/part");     // must not exist
//   file.write(bytes);
//   file.finish();                    // fsync, close, and fsync of the folder
//
// Destroyed before finish(), it is removed. Errors: Error, "PATH: cannot write: No space left on
// device".

#include <cstddef>
#include <span>
#include <string>

namespace grappa::graph {

class DurableFile {
 public:
  explicit DurableFile(std::string path);
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;
  ~DurableFile();

  void write(std::span<const std::byte> bytes);
  void finish();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_ = -1;
};

/// Makes durable what was created, renamed and removed in the folder.
void sync_folder(const std::string& folder);

/// Renames the file `from` to `to` in the same folder, replacing whatever had that name; durable.
void replace_file(const std::string& folder, const std::string& from, const std::string& to);

}  // namespace grappa::graph
