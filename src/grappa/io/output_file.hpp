#pragma once

// A file that appears whole or not at all (base/whole_file.hpp), compressed as its name says.
//
//   OutputFile out("ranks.tsv.gz");
//   out.write("1\t0.25\n");
//   out.commit();                       // only now is there a ranks.tsv.gz
//
// Links, "-", devices, errors and threads are those of WholeFile.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "grappa/base/whole_file.hpp"

namespace grappa::io {

class Compressor;

class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  void commit();

  /// Where others write what follows (base/file_place.hpp), who say with note_written() how much
  /// that was; nothing where it has to be written here, from beginning to end.
  std::optional<grappa::internal::FilePlace> place() const;
  void note_written(std::int64_t bytes) noexcept { bytes_ += bytes; }

  const std::string& path() const noexcept { return path_; }
  /// Bytes written so far, as they were given to write().
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  std::string path_;  // as given
  internal::WholeFile file_;
  std::int64_t bytes_ = 0;
  std::unique_ptr<Compressor> compressor_;
};

}  // namespace grappa::io
