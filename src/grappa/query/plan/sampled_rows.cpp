#include "grappa/query/plan/sampled_rows.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
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

/// How often values come, of which these are the hashes.
struct Frequencies {
  double distinct = 0;
  double once = 0;
  double twice = 0;

  explicit Frequencies(std::vector<std::uint64_t> hashes) {
    std::ranges::sort(hashes);
    for (std::size_t i = 0; i < hashes.size();) {
      std::size_t end = i + 1;
      while (end < hashes.size() && hashes[end] == hashes[i]) ++end;
      ++distinct;
      once += end - i == 1 ? 1 : 0;
      twice += end - i == 2 ? 1 : 0;
      i = end;
    }
  }
};

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

std::optional<double> SampledRows::distinct(ColumnId column) const {
  const auto of_table = table_columns_.find(column);
  if (of_table == table_columns_.end() || has_none()) return std::nullopt;
  if (!table_->sample.columns[of_table->second].is_there()) return std::nullopt;
  const auto known = distinct_.find(column);
  if (known != distinct_.end()) return known->second;
  return distinct_[column] = count_distinct(of_table->second);
}

double SampledRows::count_distinct(std::size_t table_column) const {
  std::vector<std::uint64_t> hashes(hits_);
  std::size_t done = 0;
  auto selected = selected_.begin();
  for_each_batch(table_->sample, {table_column}, [&](Batch& batch) {
    batch.selection = selected->data();
    batch.count = selected->size();
    hash_rows(batch, batch.columns, hashes.data() + done);
    done += batch.count;
    ++selected;
  });
  const Frequencies of(std::move(hashes));
  const double q = fraction();
  if (of.once == 0 || q >= 1) return of.distinct;
  const auto n = static_cast<double>(hits_);
  const double twice = n > 1 ? n / (n - 1) * 2 * of.twice : 0;
  return of.distinct + of.once * of.once / (twice + q / (1 - q) * of.once);
}

std::shared_ptr<const SampledRows> sampled_rows(const Relation& scan,
                                                const ExpressionPtr& condition) {
  const Block& sample = scan.table->sample;
  if (sample.rows == 0) return nullptr;
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
  std::vector<std::vector<Position>> selected;
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
