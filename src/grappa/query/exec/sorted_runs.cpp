#include "grappa/query/exec/sorted_runs.hpp"

#include <algorithm>
#include <utility>

#include "grappa/query/exec/partitioned_rows.hpp"

namespace grappa::query {

SortedRuns::SortedRuns(const OperatorMemoryPtr& memory, const RowLayout& layout, int cores)
    : memory_(memory),
      layout_(layout),
      // As many as that make pieces of which there can be one of each run.
      rows_(memory, layout.row_bytes(), layout.text_offsets(),
            std::max(kSpillPartitions, static_cast<std::size_t>(cores)), cores),
      runs_(static_cast<std::size_t>(cores)) {}

void SortedRuns::add(int core, std::span<const SortEntry> sorted) {
  if (sorted.empty()) return;
  const auto partition = static_cast<std::size_t>(core);
  const std::size_t begin = rows_.pieces(partition);
  for (const SortEntry& entry : sorted) rows_.add(core, partition, entry.row);
  rows_.finish(core);
  runs_[partition].push_back({begin, rows_.pieces(partition)});
}

MergedRows::MergedRows(const SortedRuns& runs, const RowOrder& order, std::size_t most)
    : runs_(runs), order_(order), left_(most) {
  MemoryBudget* const budget = runs.memory_->budget();
  for (std::size_t core = 0; core < runs.runs_.size(); ++core) {
    for (const SortedRuns::Run& run : runs.runs_[core]) {
      Rest& rest = rests_.emplace_back(Rest{core,
                                            run.begin,
                                            run.end,
                                            RowStore(runs.layout_.row_bytes(), budget),
                                            {nullptr, 0},
                                            {0, nullptr}});
      step(rest);
      heap_.push_back(rests_.size() - 1);
    }
  }
  const auto is_later = [this](std::size_t a, std::size_t b) {
    return order_(rests_[b].first, rests_[a].first);
  };
  std::make_heap(heap_.begin(), heap_.end(), is_later);
}

bool MergedRows::step(Rest& rest) {
  if (rest.rows.rows == 0) {
    if (rest.piece == rest.end) return false;
    // The last row of the piece before is still to be shown.
    gone_.push_back(
        std::exchange(rest.store, RowStore(runs_.layout_.row_bytes(), runs_.memory_->budget())));
    runs_.rows_.read(rest.partition, rest.piece++, rest.store);
    rest.rows = rest.store.pieces().front();
  }
  rest.first = order_.entry(rest.rows.begin);
  rest.rows.begin += runs_.layout_.row_bytes();
  --rest.rows.rows;
  return true;
}

std::span<std::byte* const> MergedRows::next() {
  gone_.clear();
  rows_.clear();
  const auto is_later = [this](std::size_t a, std::size_t b) {
    return order_(rests_[b].first, rests_[a].first);
  };
  while (rows_.size() < kBatchRows && left_ > 0 && !heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    Rest& rest = rests_[heap_.back()];
    rows_.push_back(rest.first.row);
    --left_;
    if (step(rest))
      std::push_heap(heap_.begin(), heap_.end(), is_later);
    else
      heap_.pop_back();
  }
  return rows_;
}

}  // namespace grappa::query
