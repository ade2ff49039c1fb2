#pragma once

// A Parquet file, opened.
//
//   ParquetFile file("lineitem.parquet");
//   use(file.metadata().groups.size(), file.columns());
//   const auto reader = file.read(group, file.columns()[3], DistinctCounting::kLeftOut);
//   use(reader->next());                                // kBlockRows rows, the last what is left
//
// A plain file is mapped. Compressed ones and pipes are read into memory as a whole. Errors:
// InputError, also of the reader. read() may be called by any core; the file is there as long as
// what it returns.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/io/examined_file.hpp"
#include "grappa/io/input.hpp"
#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/io/parquet/schema.hpp"
#include "grappa/query/table_file.hpp"

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
  std::unique_ptr<ColumnReader> read(std::size_t group, const FileColumn& column,
                                     DistinctCounting counting) const;
  void check_unchanged() const { examined_.check_unchanged(); }

 private:
  io::ExaminedFile examined_;
  std::optional<io::Input> input_;
  std::string_view bytes_;
  Metadata metadata_;
  std::vector<FileColumn> columns_;
};

}  // namespace grappa::query::parquet
