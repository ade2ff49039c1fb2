#include "grappa/query/table_sample.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/container/key_traits.hpp"
#include "grappa/query/block_builder.hpp"
#include "grappa/query/column_builder.hpp"
#include "grappa/query/consecutive.hpp"
#include "grappa/query/exec/row_exchange.hpp"
#include "grappa/query/exec/rows_source.hpp"

namespace grappa::query {
namespace {

constexpr std::int64_t kSampleRows = std::int64_t{1} << 14;
constexpr std::size_t kMostTextBytes = 256;

/// Which rows of all locales are in the sample, in ascending order.
class Chosen {
 public:
  explicit Chosen(std::int64_t rows) : rows_(rows), count_(std::min(rows, kSampleRows)) {}

  /// The first one that is not before `row`; as a number among those that are chosen.
  std::int64_t first_from(std::int64_t row) const {
    // Stretch i ends where stretch i + 1 begins, so only one can hold the row.
    std::int64_t i =
        static_cast<std::int64_t>(Int128{row} * count_ / std::max<std::int64_t>(rows_, 1));
    while (i < count_ && (*this)[i] < row) ++i;
    return i;
  }
  std::int64_t count() const { return count_; }
  std::int64_t operator[](std::int64_t i) const {
    const std::int64_t begin = begin_of(i);
    const auto length = static_cast<std::uint64_t>(begin_of(i + 1) - begin);
    return begin + static_cast<std::int64_t>(hash_number(static_cast<std::uint64_t>(i)) % length);
  }

 private:
  std::int64_t begin_of(std::int64_t i) const {
    return static_cast<std::int64_t>(Int128{i} * rows_ / count_);
  }

  std::int64_t rows_;
  std::int64_t count_;
};

/// Builds a block of the rows that are pushed.
class BuildBlock final : public Stage {
 public:
  explicit BuildBlock(const std::vector<Type>& types)
      : builder_(types), places_(consecutive(types.size())) {}
  void push(Batch& batch) override {
    builder_.append(batch, places_, [](const Block&) {});  // a sample is smaller than a block
  }
  Block block() { return builder_.finish(); }

 private:
  BlockBuilder builder_;
  std::vector<std::size_t> places_;
};

/// The rows of each block of this locale that are chosen.
std::vector<std::vector<Position>> rows_by_block(const Team& team, const Table& table) {
  std::int64_t mine = 0;
  for (const Block& block : table.blocks) mine += static_cast<std::int64_t>(block.rows);
  std::int64_t first = 0;
  const auto rows_of = team.gather(std::vector{mine});
  for (int locale = 0; locale < team.locale; ++locale)
    first += rows_of[static_cast<std::size_t>(locale)][0];
  const Chosen chosen(table.rows);
  std::int64_t i = chosen.first_from(first);
  std::vector<std::vector<Position>> rows;
  for (const Block& block : table.blocks) {
    const auto end = first + static_cast<std::int64_t>(block.rows);
    std::vector<Position>& of_block = rows.emplace_back();
    for (; i < chosen.count() && chosen[i] < end; ++i)
      of_block.push_back(static_cast<Position>(chosen[i] - first));
    first = end;
  }
  return rows;
}

/// The first bytes, in whole letters.
TextRef beginning_of(const TextRef& text) {
  std::string_view view = text.view();
  if (view.size() <= kMostTextBytes) return text;
  view = view.substr(0, kMostTextBytes + 1);
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (is_inside(view.back())) view.remove_suffix(1);
  view.remove_suffix(1);
  return TextRef(view);
}

ColumnBlock values_at(const ColumnBlock& column, const std::vector<Position>& rows) {
  ColumnBuilder builder(column.type, rows.size(), DistinctCounting::kLeftOut);
  with_physical(column.type.physical(), [&]<class T>() {
    for (const Position row : rows) {
      const std::size_t in_batch = row % kBatchRows;
      const Vector vector = column.vector(row - in_batch);
      if (!vector.is_valid(in_batch))
        builder.append_null();
      else if constexpr (std::is_same_v<T, TextRef>)
        builder.append(beginning_of(vector.at<T>(in_batch)));
      else
        builder.append(vector.at<T>(in_batch));
    }
  });
  return builder.finish();
}

}  // namespace

SampledColumns::SampledColumns(const Team& team, const Table& table,
                               std::vector<std::size_t> columns)
    : team_(team), columns_(std::move(columns)), rows_(rows_by_block(team, table)) {
  for (const std::size_t c : columns_) types_.push_back(table.columns[c].type);
  for (const std::vector<Position>& rows : rows_) {
    Block& part = parts_.emplace_back();
    part.rows = rows.size();
    part.columns.resize(columns_.size());
  }
}

void SampledColumns::add(std::size_t block, std::size_t column, const ColumnBlock& values) {
  if (rows_[block].empty()) return;
  const auto place = std::ranges::find(columns_, column) - columns_.begin();
  parts_[block].columns[static_cast<std::size_t>(place)] = values_at(values, rows_[block]);
}

void SampledColumns::add_to(Block& sample) {
  const auto push_all = [&](Stage& to) {
    for (const Block& part : parts_) {
      Batch batch;
      for (std::size_t begin = 0; begin < part.rows; begin += kBatchRows) {
        batch.rows = batch.count = std::min(kBatchRows, part.rows - begin);
        batch.columns.clear();
        for (const ColumnBlock& column : part.columns)
          batch.columns.push_back(column.vector(begin));
        to.push(batch);
      }
    }
  };
  BuildBlock made(types_);
  if (team_.locales == 1) {
    push_all(made);
  } else {
    const auto rows = std::make_shared<Rows>(types_, 1);
    push_all(*rows->sink(0, consecutive(columns_.size())));
    replicate(team_, *rows);
    const auto source = rows_source(rows);
    while (source->push_piece(0, made)) {
    }
  }
  Block block = made.block();
  sample.rows = block.rows;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    sample.columns[columns_[i]] = std::move(block.columns[i]);
}

Block sample_of(const Team& team, const Table& table) {
  const std::vector<std::size_t> columns = consecutive(table.columns.size());
  SampledColumns sampled(team, table, columns);
  for (std::size_t b = 0; b < table.blocks.size(); ++b)
    for (const std::size_t c : columns) sampled.add(b, c, table.blocks[b].columns[c]);
  Block sample;
  sample.columns.resize(columns.size());
  sampled.add_to(sample);
  return sample;
}

}  // namespace grappa::query
