#include "grappa/query/plan/sampled_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

#include "grappa/query/exec/hashing.hpp"
#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/expression/evaluator.hpp"

namespace grappa::query {
namespace {

/// f(batch) for each batch of the sample, with these columns of the table.
template <class F>
void for_each_batch(const Block& sample, const std::vector<std::size_t>& columns, F&& f) {
  for (std::size_t begin = 0; begin < sample.rows; begin += kBatchRows) {
    Batch batch;
    batch.rows = batch.count = std::min(kBatchRows, sample.rows - begin);
    for (const std::size_t column : columns)
      batch.columns.push_back(sample.columns[column].vector(begin));
    f(batch);
  }
}

}  // namespace

SampledRows::SampledRows(const Relation& scan, std::vector<std::vector<Position>> selected)
    : table_(scan.table), selected_(std::move(selected)) {
  for (std::size_t i = 0; i < scan.columns.size(); ++i)
    table_columns_[scan.columns[i]->column] = scan.table_columns[i];
  for (const auto& of_batch : selected_) hits_ += of_batch.size();
}

double SampledRows::fraction() const {
  return static_cast<double>(table_->sample.rows) / static_cast<double>(table_->rows);
}

double SampledRows::rows() const {
  if (hits_ > 0) return static_cast<double>(hits_) / fraction();
  return 0.5 * (1 / fraction() - 1);
}

std::optional<std::size_t> SampledRows::sampled_column(ColumnId column) const {
  const auto of_table = table_columns_.find(column);
  if (of_table == table_columns_.end() || has_none()) return std::nullopt;
  if (!table_->sample.columns[of_table->second].is_there()) return std::nullopt;
  return of_table->second;
}

const SampledValues* SampledRows::values(ColumnId column) const {
  const std::optional<std::size_t> of_table = sampled_column(column);
  if (!of_table) return nullptr;
  std::optional<SampledValues>& known = values_[column];
  if (!known) known.emplace(hashes(*of_table), fraction());
  return &*known;
}

std::optional<double> SampledRows::distinct(ColumnId column) const {
  const SampledValues* const of_column = values(column);
  return of_column == nullptr ? std::nullopt : std::optional(of_column->distinct());
}

SampledValues::SampledValues(const std::vector<std::uint64_t>& hashes, double fraction)
    : slots_(std::bit_ceil(2 * hashes.size() + 1)), rows_(hashes.size()), fraction_(fraction) {
  for (const std::uint64_t hash : hashes) {
    Slot& slot = slots_[slot_of(hash)];
    different_ += slot.rows == 0 ? 1 : 0;
    slot = {hash, slot.rows + 1};
  }
}

double SampledValues::distinct() const {
  const auto that_come = [&](std::uint64_t times) {
    return static_cast<double>(
        std::ranges::count_if(slots_, [&](const Slot& slot) { return slot.rows == times; }));
  };
  const auto different = static_cast<double>(different_);
  const double once = that_come(1);
  if (once == 0 || fraction_ >= 1) return different;
  const auto n = static_cast<double>(rows_);
  const double twice = n > 1 ? n / (n - 1) * 2 * that_come(2) : 0;
  return different + once * once / (twice + fraction_ / (1 - fraction_) * once);
}

std::size_t SampledValues::slot_of(std::uint64_t hash) const {
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot].rows > 0 && slots_[slot].hash != hash)
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

SampledValues::Pairs SampledValues::pairs(const SampledValues& other) const {
  if (other.different_ < different_) return other.pairs(*this);
  std::uint64_t seen = 0;
  for (const Slot& slot : slots_)
    if (slot.rows > 0) seen += slot.rows * other.slots_[other.slot_of(slot.hash)].rows;
  const double one = 1 / (fraction_ * other.fraction_);
  return {static_cast<double>(seen) * one, one};
}

std::vector<std::uint64_t> SampledRows::hashes(std::size_t table_column) const {
  std::vector<std::uint64_t> hashes(hits_);
  std::size_t done = 0;
  auto selected = selected_.begin();
  for_each_batch(table_->sample, {table_column}, [&](Batch& batch) {
    std::array<Position, kBatchRows> valid;
    batch.selection = valid.data();
    batch.count = 0;
    for (const Position row : *selected) {
      valid[batch.count] = row;
      batch.count += batch.columns[0].is_valid(row) ? 1 : 0;
    }
    hash_rows(batch, batch.columns, hashes.data() + done);
    done += batch.count;
    ++selected;
  });
  hashes.resize(done);
  return hashes;
}

std::shared_ptr<const SampledRows> sampled_rows(const Relation& scan,
                                                const ExpressionPtr& condition) {
  const Block& sample = scan.table->sample;
  if (sample.rows == 0) return nullptr;
  std::vector<std::vector<Position>> selected;
  if (!condition) {
    for_each_batch(sample, {}, [&](const Batch& batch) {
      selected.emplace_back(batch.count);
      std::iota(selected.back().begin(), selected.back().end(), Position{0});
    });
    return std::make_shared<const SampledRows>(scan, std::move(selected));
  }
  Layout layout;
  std::vector<std::size_t> columns;
  const std::set<ColumnId> used = columns_of(*condition);
  for (std::size_t i = 0; i < scan.columns.size(); ++i) {
    if (!used.contains(scan.columns[i]->column)) continue;
    layout.add(scan.columns[i]->column);
    columns.push_back(scan.table_columns[i]);
  }
  if (columns.size() < used.size()) return nullptr;
  const auto is_known = [&](std::size_t column) { return sample.columns[column].is_there(); };
  if (!std::ranges::all_of(columns, is_known)) return nullptr;
  try {
    Evaluator evaluator(condition, layout.places());
    std::array<Position, kBatchRows> passing;
    for_each_batch(sample, columns, [&](const Batch& batch) {
      const std::size_t count = evaluator.select(batch, passing.data());
      selected.emplace_back(passing.begin(), passing.begin() + count);
    });
  } catch (const QueryError&) {
    return nullptr;  // the query says what is wrong, if it comes to that row
  }
  return std::make_shared<const SampledRows>(scan, std::move(selected));
}

}  // namespace grappa::query
