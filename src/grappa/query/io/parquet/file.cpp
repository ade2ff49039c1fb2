#include "grappa/query/io/parquet/file.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"
#include "grappa/io/text/text_line.hpp"
#include "grappa/query/io/parquet/damage.hpp"

namespace grappa::query::parquet {

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

LoadedChunk ParquetFile::load(std::size_t group, const FileColumn& column) const {
  const RowGroup& of = metadata_.groups[group];
  try {
    return load_chunk(bytes_, column, of.chunks[column.leaf], of.rows);
  } catch (const Damage& damage) {
    throw InputError(name(), 0,
                     fmt::format("column {}, row group {}: {}", io::quoted(column.name), group + 1,
                                 damage.what()));
  }
}

}  // namespace grappa::query::parquet
