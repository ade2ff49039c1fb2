#pragma once

// A Parquet file, opened.
//
//   ParquetFile file("lineitem.parquet");
//   use(file.metadata().groups.size(), file.columns());
//   const LoadedChunk loaded = file.load(group, file.columns()[3]);
//
// A plain file is mapped. Compressed ones and pipes are read into memory as a whole. Errors:
// InputError. load() may be called by any core.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/io/examined_file.hpp"
#include "grappa/io/input.hpp"
#include "grappa/query/io/parquet/chunk_loader.hpp"
#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/io/parquet/schema.hpp"

namespace grappa::query::parquet {

class ParquetFile {
 public:
  explicit ParquetFile(const std::string& path);

  const std::string& name() const { return examined_.name(); }
  /// Whether its bytes are on disk as they are; the first locale alone has others.
  bool is_plain() const { return examined_.is_plain(); }
  /// Reads what it says about itself.
  void open();

  const Metadata& metadata() const { return metadata_; }
  const std::vector<FileColumn>& columns() const { return columns_; }
  LoadedChunk load(std::size_t group, const FileColumn& column) const;
  void check_unchanged() const { examined_.check_unchanged(); }

 private:
  io::ExaminedFile examined_;
  std::optional<io::Input> input_;
  std::string_view bytes_;
  Metadata metadata_;
  std::vector<FileColumn> columns_;
};

}  // namespace grappa::query::parquet
