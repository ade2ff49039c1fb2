#pragma once

// What a table is read from again and again, column by column.
//
//   const TableFile& file = *table.file;
//   const auto reader = file.read(group, column, DistinctCounting::kLeftOut);
//   for (std::size_t block = file.begin_of(group); block < file.end_of(group); ++block)
//     use(read_again(*reader, table, group, block, column));
//
// So a table need not be in memory: its blocks are read while they are scanned (exec/scan.hpp), or
// before, if there is memory for them (file_tables.hpp).

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "grappa/query/distinct_sketch.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// A column of a group of blocks. For one core.
class ColumnReader {
 public:
  virtual ~ColumnReader() = default;
  /// The next block; as many times as the group has blocks. InputError.
  virtual ColumnBlock next() = 0;
  /// Of all values so far, where that was wanted.
  virtual const DistinctSketch& sketch() const = 0;
};

/// The part of a locale. Any core.
class TableFile {
 public:
  virtual ~TableFile() = default;

  /// Blocks are read in groups, one after the other.
  std::size_t groups() const { return begins_.size() - 1; }
  std::size_t begin_of(std::size_t group) const { return begins_[group]; }
  std::size_t end_of(std::size_t group) const { return begins_[group + 1]; }

  virtual std::unique_ptr<ColumnReader> read(std::size_t group, std::size_t column,
                                             DistinctCounting counting) const = 0;
  /// As errors call what a group is in.
  virtual const std::string& file_of(std::size_t group) const = 0;
  /// Whether it is there for long; else it is to be read now.
  virtual bool can_read_again() const = 0;
  /// InputError where there is something else in it than when it was opened.
  virtual void check_unchanged() const = 0;

 protected:
  void add_group(std::size_t blocks) { begins_.push_back(begins_.back() + blocks); }

 private:
  std::vector<std::size_t> begins_{0};
};

/// The next block of a column of the table that was read before, which is `block`. What is not as
/// it was then is an InputError, as plans are made of what was found.
ColumnBlock read_again(ColumnReader& reader, const Table& table, std::size_t group,
                       std::size_t block, std::size_t column);

}  // namespace grappa::query
