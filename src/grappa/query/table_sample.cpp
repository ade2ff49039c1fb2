#include "grappa/query/table_sample.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "grappa/container/key_traits.hpp"
#include "grappa/query/block_builder.hpp"
#include "grappa/query/exec/row_exchange.hpp"
#include "grappa/query/exec/rows_source.hpp"

namespace grappa::query {
namespace {

constexpr std::int64_t kSampleRows = std::int64_t{1} << 14;
constexpr std::size_t kMostTextBytes = 1024;  // of a row

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
  explicit BuildBlock(const std::vector<Type>& types) : builder_(types), places_(types.size()) {
    std::iota(places_.begin(), places_.end(), std::size_t{0});
  }
  void push(Batch& batch) override {
    builder_.append(batch, places_, [](const Block&) {});  // a sample is smaller than a block
  }
  Block block() { return builder_.finish(); }

 private:
  BlockBuilder builder_;
  std::vector<std::size_t> places_;
};

bool is_short(const Batch& batch, std::size_t row) {
  std::size_t bytes = 0;
  for (const Vector& column : batch.columns)
    if (column.type.is_text() && column.is_valid(row)) bytes += column.at<TextRef>(row).size();
  return bytes <= kMostTextBytes;
}

/// Those of the chosen rows that are here; `first`: the number of the first row here among all.
void push_chosen(const Table& table, std::int64_t first, const Chosen& chosen, Stage& to) {
  std::int64_t i = chosen.first_from(first);
  std::array<Position, kBatchRows> selection;
  for (const Block& block : table.blocks) {
    for (std::size_t begin = 0; begin < block.rows; begin += kBatchRows) {
      Batch batch;
      batch.rows = std::min(kBatchRows, block.rows - begin);
      const auto end = first + static_cast<std::int64_t>(batch.rows);
      if (i < chosen.count() && chosen[i] < end) {
        for (const ColumnBlock& column : block.columns)
          batch.columns.push_back(column.vector(begin));
        for (; i < chosen.count() && chosen[i] < end; ++i) {
          const auto row = static_cast<std::size_t>(chosen[i] - first);
          if (is_short(batch, row)) selection[batch.count++] = static_cast<Position>(row);
        }
        batch.selection = selection.data();
        if (batch.count > 0) to.push(batch);
      }
      first = end;
    }
  }
}

}  // namespace

Block sample_of(const Team& team, const Table& table) {
  std::vector<Type> types;
  for (const Column& column : table.columns) types.push_back(column.type);
  const Chosen chosen(table.rows);
  BuildBlock sample(types);
  if (team.locales == 1) {
    push_chosen(table, 0, chosen, sample);
    return sample.block();
  }
  std::int64_t mine = 0;
  for (const Block& block : table.blocks) mine += static_cast<std::int64_t>(block.rows);
  const auto rows_of = team.gather(std::vector{mine});
  std::int64_t first = 0;
  for (int locale = 0; locale < team.locale; ++locale)
    first += rows_of[static_cast<std::size_t>(locale)][0];
  std::vector<std::size_t> places(types.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto rows = std::make_shared<Rows>(types, 1);
  push_chosen(table, first, chosen, *rows->sink(0, std::move(places)));
  replicate(team, *rows);
  const auto source = rows_source(rows);
  while (source->push_piece(0, sample)) {
  }
  return sample.block();
}

}  // namespace grappa::query
