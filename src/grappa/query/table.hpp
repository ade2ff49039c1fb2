#pragma once

// Tables: columns in blocks, divided among the locales.
//
//   for (const Block& block : table.blocks)                      // of this locale
//     for (std::size_t begin = 0; begin < block.rows; begin += kBatchRows)
//       use(block.columns[0].vector(begin));
//
// A block has up to 64 Ki rows, of each column the values one after the other; texts that repeat
// are coded by a dictionary of the block. A table that is complete does not change, so all cores of
// a locale read it. What is known of a column in all blocks of all locales is the same everywhere.
//
// A table in files that can be read again (table_file.hpp) has of its columns those in memory that
// were needed lately, and of each what was found out when it was first read. Which ones these are
// does not change while a statement is executed.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grappa/query/distinct_sketch.hpp"
#include "grappa/query/memory_budget.hpp"
#include "grappa/query/type.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

inline constexpr std::size_t kBlockRows = std::size_t{1} << 16;

/// The least and the greatest value of what is counted (Type::is_counted); nothing where there is
/// no value, or none is known.
struct Range {
  Int128 least;
  Int128 greatest;

  bool contains(Int128 value) const { return least <= value && value <= greatest; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// What is known of a column.
struct ColumnFacts {
  std::optional<Range> range{};
  bool has_nulls = true;
  double distinct = 0;  // about so many different values; 0: not known
};

/// Frees what is not somebody else's.
class FreeBytes {
 public:
  FreeBytes() = default;
  FreeBytes(std::default_delete<std::byte[]> /*as made*/) {}  // NOLINT: so that make_unique does
  explicit FreeBytes(bool is_borrowed) : is_borrowed_(is_borrowed) {}
  bool is_borrowed() const { return is_borrowed_; }
  void operator()(std::byte* bytes) const {
    if (!is_borrowed_) std::default_delete<std::byte[]>()(bytes);
  }

 private:
  bool is_borrowed_ = false;
};

/// Memory for values; aligned for any of them.
using Bytes = std::unique_ptr<std::byte[], FreeBytes>;

/// Memory of somebody else, who keeps it, and what is in it, as long as there are tables of it.
inline Bytes borrowed_bytes(const void* bytes) {
  return {static_cast<std::byte*>(const_cast<void*>(bytes)), FreeBytes(true)};
}

/// A column of a block.
struct ColumnBlock {
  Type type;
  Bytes values;                            // [rows], or [dictionary_size]
  std::unique_ptr<Position[]> codes;       // [rows] where there is a dictionary
  std::unique_ptr<std::uint64_t[]> valid;  // of the values; null: none is NULL
  std::uint32_t dictionary_size = 0;
  std::uint64_t dictionary_id = 0;
  std::vector<Bytes> texts;  // what texts refer to
  std::optional<Range> range;

  /// Whether its values are in memory.
  bool is_there() const { return values != nullptr; }
  /// The values from row `begin`, a multiple of kBatchRows, on.
  Vector vector(std::size_t begin) const {
    Vector view{.type = type, .texts_stay = true, .dictionary_size = dictionary_size};
    if (codes != nullptr) {
      view.dictionary_id = dictionary_id;
      view.values = values.get();
      view.codes = codes.get() + begin;
      view.valid = valid.get();
    } else {
      view.values = values.get() + begin * size_of(type.physical());
      view.valid = valid == nullptr ? nullptr : valid.get() + begin / 64;
    }
    return view;
  }
};

struct Block {
  std::size_t rows = 0;
  std::vector<ColumnBlock> columns;
};

struct Column {
  std::string name;
  Type type;
  ColumnFacts facts;
};

/// A column of a file that is not in its table, and why: "is nested: a list".
struct LeftOut {
  std::string name;
  std::string reason;
};

class TableFile;

/// The part of a table that a locale has, and what is the same on all of them.
class Table {
 public:
  std::vector<Column> columns;
  std::vector<Block> blocks;
  std::int64_t rows = 0;  // of all locales
  Block sample;           // some of them, the same on all locales (table_sample.hpp), of the
                          // columns that were read
  std::vector<LeftOut> left_out;
  MemoryCharge charge;                    // of the blocks
  std::shared_ptr<const TableFile> file;  // where columns come from; null: all are in memory
};

}  // namespace grappa::query
