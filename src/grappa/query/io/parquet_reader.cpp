#include "grappa/query/io/parquet_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/io/matching_files.hpp"
#include "grappa/io/text/text_line.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/query/io/all_gather.hpp"
#include "grappa/query/io/failures.hpp"
#include "grappa/query/io/parquet/file.hpp"
#include "grappa/query/table_file.hpp"

namespace grappa::query {
namespace {

using parquet::FileColumn;
using parquet::ParquetFile;
using parquet::RowGroup;

/// The columns of the table, as the first file has them.
struct TableSchema {
  std::vector<std::string> names;
  std::vector<Type> types;
  std::vector<std::string> refusals;  // empty: it is loaded
  static constexpr auto kMembers =
      std::tuple(&TableSchema::names, &TableSchema::types, &TableSchema::refusals);
};

struct OpenedParquet {
  Failures failures;
  std::optional<TableSchema> schema;
  bool is_plain = false;  // all files are
  static constexpr auto kMembers =
      std::tuple(&OpenedParquet::failures, &OpenedParquet::schema, &OpenedParquet::is_plain);
};

struct PartOfParquet {
  Failures failures;
  std::int64_t rows = 0;
  static constexpr auto kMembers = std::tuple(&PartOfParquet::failures, &PartOfParquet::rows);
};

class ParquetTable final : public TableFile {
 public:
  ParquetTable(const std::vector<std::string>& paths, const Exchange& exchange)
      : exchange_(exchange) {
    open(paths);
  }

  std::unique_ptr<ColumnReader> read(std::size_t group, std::size_t column,
                                     DistinctCounting counting) const override {
    const Group& of = groups_[group];
    return files_[of.file].read(of.group, *columns_[of.file][column], counting);
  }
  const std::string& file_of(std::size_t group) const override {
    return files_[groups_[group].file].name();
  }
  void check_unchanged() const override {
    for (const ParquetFile& file : files_) file.check_unchanged();
  }
  bool can_read_again() const override { return is_plain_; }

  /// Without values.
  Table table() {
    PartOfParquet mine;
    try {
      find_columns();
      choose_groups();
      mine.rows = my_rows();
    } catch (const InputError& error) {
      mine.failures = {failure_of(error, static_cast<std::uint64_t>(this_locale()))};
    }
    const std::vector<PartOfParquet> parts = all_gather(exchange_, mine);
    std::vector<Failures> failures;
    for (const PartOfParquet& of : parts) failures.push_back(of.failures);
    throw_first(failures);
    Table table;
    for (const PartOfParquet& part : parts) table.rows += part.rows;
    for (const std::size_t c : loaded_columns_)
      table.columns.push_back({schema_.names[c], schema_.types[c], {}});
    for (std::size_t c = 0; c < schema_.names.size(); ++c)
      if (!schema_.refusals[c].empty())
        table.left_out.push_back({schema_.names[c], schema_.refusals[c]});
    for (const Group& group : groups_) add_blocks(table, rows_of(group));
    return table;
  }

 private:
  /// A row group of this locale.
  struct Group {
    std::size_t file;
    std::size_t group;
  };

  std::int64_t rows_of(const Group& group) const {
    return files_[group.file].metadata().groups[group.group].rows;
  }
  std::int64_t my_rows() const {
    std::int64_t rows = 0;
    for (const Group& group : groups_) rows += rows_of(group);
    return rows;
  }
  void add_blocks(Table& table, std::int64_t of_group) {
    const auto rows = static_cast<std::size_t>(of_group);
    const std::size_t before = table.blocks.size();
    for (std::size_t begin = 0; begin < rows; begin += kBlockRows) {
      Block& block = table.blocks.emplace_back();
      block.rows = std::min(kBlockRows, rows - begin);
      for (const Column& column : table.columns) block.columns.emplace_back().type = column.type;
    }
    add_group(table.blocks.size() - before);
  }

  void open(const std::vector<std::string>& paths) {
    OpenedParquet mine;
    try {
      for (const std::string& path : paths)
        for (const std::string& name : io::matching_files(path)) files_.emplace_back(name);
      for (ParquetFile& file : files_)
        if (is_here(file)) file.open();
      if (is_here(files_.front())) mine.schema = schema_of(files_.front());
      mine.is_plain = std::ranges::all_of(files_, &ParquetFile::is_plain);
    } catch (const InputError& error) {
      mine.failures.push_back(failure_of(error, static_cast<std::uint64_t>(this_locale())));
    }
    const std::vector<OpenedParquet> all = all_gather(exchange_, mine);
    std::vector<Failures> failures;
    for (const OpenedParquet& opened : all) failures.push_back(opened.failures);
    throw_first(failures);
    schema_ = *all[0].schema;
    is_plain_ = all[0].is_plain;
  }

  /// What is not on disk is there for the first locale only.
  static bool is_here(const ParquetFile& file) { return file.is_plain() || this_locale() == 0; }

  static TableSchema schema_of(const ParquetFile& file) {
    TableSchema schema;
    for (const FileColumn& column : file.columns()) {
      schema.names.push_back(column.name);
      schema.types.push_back(column.type);
      schema.refusals.push_back(column.refusal);
    }
    if (std::ranges::none_of(schema.refusals, &std::string::empty))
      throw InputError(file.name(), 0,
                       schema.names.empty()
                           ? std::string("has no columns")
                           : fmt::format("has no column that can be loaded: {} {}",
                                         io::quoted(schema.names[0]), schema.refusals[0]));
    return schema;
  }

  /// Which column of each file each column of the table is.
  void find_columns() {
    for (std::size_t c = 0; c < schema_.names.size(); ++c)
      if (schema_.refusals[c].empty()) loaded_columns_.push_back(c);
    for (const ParquetFile& file : files_) {
      std::vector<const FileColumn*>& columns = columns_.emplace_back();
      if (!is_here(file)) continue;
      for (const std::size_t c : loaded_columns_) columns.push_back(&column_in(file, c));
    }
  }
  const FileColumn& column_in(const ParquetFile& file, std::size_t c) const {
    const std::vector<FileColumn>& columns = file.columns();
    const std::string& name = schema_.names[c];
    // Mostly they are in the same order.
    const auto found = c < columns.size() && columns[c].name == name
                           ? columns.begin() + static_cast<std::ptrdiff_t>(c)
                           : std::ranges::find(columns, name, &FileColumn::name);
    if (found == columns.end())
      throw InputError(
          file.name(), 0,
          fmt::format("has no column {}, which {} has", io::quoted(name), files_.front().name()));
    if (!found->refusal.empty())
      throw InputError(file.name(), 0,
                       fmt::format("column {} {}", io::quoted(name), found->refusal));
    if (found->type != schema_.types[c])
      throw InputError(
          file.name(), 0,
          fmt::format("column {} is of {}, in {} of {}", io::quoted(name), name_of(found->type),
                      files_.front().name(), name_of(schema_.types[c])));
    return *found;
  }

  /// Each locale has about as many rows of what all have.
  void choose_groups() {
    std::int64_t all = 0;
    for (const ParquetFile& file : files_)
      if (file.is_plain()) all += file.metadata().rows;
    std::int64_t before = 0;
    for (std::size_t f = 0; f < files_.size(); ++f) {
      if (!is_here(files_[f])) continue;
      const std::vector<RowGroup>& groups = files_[f].metadata().groups;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].rows == 0) continue;
        const std::int64_t middle = before + groups[g].rows / 2;
        const bool is_mine =
            !files_[f].is_plain() ||
            static_cast<Int128>(middle) * locale_count() / all == Int128{this_locale()};
        if (is_mine) groups_.push_back({f, g});
        if (files_[f].is_plain()) before += groups[g].rows;
      }
    }
  }

  Exchange exchange_;
  std::deque<ParquetFile> files_;
  TableSchema schema_;
  std::vector<std::size_t> loaded_columns_;              // of the schema
  std::vector<std::vector<const FileColumn*>> columns_;  // by file, of those that are here
  std::vector<Group> groups_;
  bool is_plain_ = false;
};

}  // namespace

Table open_parquet(const std::vector<std::string>& paths, const Exchange& exchange) {
  const auto file = std::make_shared<ParquetTable>(paths, exchange);
  Table table = file->table();
  table.file = file;
  return table;
}

}  // namespace grappa::query
