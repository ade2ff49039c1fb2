#include "grappa/query/table_file.hpp"

#include "grappa/base/error.hpp"

namespace grappa::query {

ColumnBlock read_again(ColumnReader& reader, const Table& table, std::size_t group,
                       std::size_t block, std::size_t column) {
  ColumnBlock read = reader.next();
  const bool may_have_nulls = table.columns[column].facts.has_nulls;
  if (read.range != table.blocks[block].columns[column].range ||
      (read.valid != nullptr && !may_have_nulls))
    throw InputError(table.file->file_of(group), 0, "changed while it was read");
  return read;
}

}  // namespace grappa::query
