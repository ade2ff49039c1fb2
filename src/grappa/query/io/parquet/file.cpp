#include "grappa/query/io/parquet/file.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"
#include "grappa/io/text/text_line.hpp"
#include "grappa/query/io/parquet/chunk_reader.hpp"
#include "grappa/query/io/parquet/damage.hpp"

namespace grappa::query::parquet {
namespace {

/// Says of damage where it is; and nothing that was read while the file has changed comes out.
class ReaderOfFile final : public ColumnReader {
 public:
  ReaderOfFile(const ParquetFile& file, std::size_t group, const FileColumn& column,
               std::unique_ptr<ColumnReader> reader)
      : file_(file), group_(group), column_(column), reader_(std::move(reader)) {}

  ColumnBlock next() override {
    try {
      ColumnBlock block = reader_->next();
      file_.check_unchanged();
      return block;
    } catch (const Damage& damage) {
      file_.check_unchanged();
      throw InputError(file_.name(), 0,
                       fmt::format("column {}, row group {}: {}", io::quoted(column_.name),
                                   group_ + 1, damage.what()));
    }
  }
  const DistinctSketch& sketch() const override { return reader_->sketch(); }

 private:
  const ParquetFile& file_;
  std::size_t group_;
  const FileColumn& column_;
  std::unique_ptr<ColumnReader> reader_;
};

}  // namespace

ParquetFile::ParquetFile(const std::string& path) : examined_(path) { examined_.check(); }

void ParquetFile::open() {
  input_ = io::Input::open(examined_);
  if (!input_->whole()) input_->read_all();
  bytes_ = *input_->whole();
  try {
    metadata_ = read_metadata(bytes_);
    columns_ = columns_of(metadata_);
  } catch (const Damage& damage) {
    throw InputError(name(), 0, damage.what());
  }
}

std::unique_ptr<ColumnReader> ParquetFile::read(std::size_t group, const FileColumn& column,
                                                DistinctCounting counting) const {
  const RowGroup& of = metadata_.groups[group];
  return std::make_unique<ReaderOfFile>(
      *this, group, column, read_chunk(bytes_, column, of.chunks[column.leaf], of.rows, counting));
}

}  // namespace grappa::query::parquet
