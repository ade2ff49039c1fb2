#include "grappa/query/exec/sort.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "grappa/query/exec/first_rows.hpp"
#include "grappa/query/exec/made_once.hpp"
#include "grappa/query/exec/row_exchange.hpp"
#include "grappa/query/exec/row_reader.hpp"
#include "grappa/query/exec/rows_source.hpp"
#include "grappa/query/exec/sorted_runs.hpp"

namespace grappa::query {
namespace {

/// What is sorted on a locale: entries in memory, or runs in a file.
struct SortWork {
  SortWork(const Sorting& of, int cores, OperatorMemoryPtr bound)
      : plan(of),
        memory(std::move(bound)),
        rows(std::make_shared<Rows>(plan.types, cores, memory, Rows::WhenFull::kFail)),
        order(rows->layout, plan.keys),
        sorted(static_cast<std::size_t>(cores)) {}
  SortWork(const SortWork&) = delete;
  SortWork& operator=(const SortWork&) = delete;

  Sorting plan;
  OperatorMemoryPtr memory;
  std::shared_ptr<Rows> rows;
  RowOrder order;
  std::vector<std::vector<SortEntry>> sorted;  // [cores]

  /// Those of the first rows that are needed.
  void keep_first(std::vector<SortEntry>& entries) const {
    if (entries.size() <= plan.most) return;
    std::nth_element(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(plan.most),
                     entries.end(), order);
    entries.resize(plan.most);
  }
  std::vector<SortEntry> sorted_of(const RowStore& store) const {
    std::vector<SortEntry> entries;
    entries.reserve(store.rows());
    store.for_each([&](std::byte* row) { entries.push_back(order.entry(row)); });
    keep_first(entries);
    std::sort(entries.begin(), entries.end(), order);
    return entries;
  }

  bool has_runs() const { return runs_.made() != nullptr; }
  SortedRuns& runs() {
    return runs_.get([this] {
      return std::make_unique<SortedRuns>(memory, rows->layout, static_cast<int>(sorted.size()));
    });
  }
  /// The rows of a store become a run.
  void spill(int core, RowStore& store) {
    runs().add(core, sorted_of(store));
    store.clear();
  }
  std::size_t most_bytes() const { return memory ? memory->of_core() : SIZE_MAX; }
  static std::size_t bytes_to_sort(const RowStore& store) {
    return store.bytes() + store.rows() * sizeof(SortEntry);
  }

 private:
  MadeOnce<SortedRuns> runs_;
};

/// Keeps the rows of a core, and sorts them when all are there, or there is no room for more.
class SortSink final : public Stage {
 public:
  SortSink(SortWork& work, int core)
      : work_(work),
        core_(core),
        keep_(work.rows->sink(core, work.plan.columns)),
        store_(*work.rows->stores[static_cast<std::size_t>(core)]),
        first_(work.order, work.plan.keys.empty() ? SIZE_MAX : work.plan.most),
        text_offsets_(work.rows->layout.text_offsets()),
        most_bytes_(work.most_bytes()) {
    for (const SortKey& key : work.plan.keys) key_places_.push_back(work.plan.columns[key.column]);
  }

  void push(Batch& batch) override {
    first_.filter(batch, key_places_);
    if (batch.count == 0) return;
    keep_->push(batch);
    if (first_.is_due(store_)) first_.reduce(store_, text_offsets_);
    if (SortWork::bytes_to_sort(store_) > most_bytes_) work_.spill(core_, store_);
  }
  void finish() override {
    work_.sorted[static_cast<std::size_t>(core_)] = work_.sorted_of(store_);
  }

 private:
  SortWork& work_;
  int core_;
  std::unique_ptr<Stage> keep_;
  RowStore& store_;
  FirstRows first_;
  std::vector<std::size_t> text_offsets_;
  std::vector<std::size_t> key_places_;  // in the batches
  std::size_t most_bytes_;
};

class MergedRunsSource final : public Source {
 public:
  explicit MergedRunsSource(std::shared_ptr<SortWork> work)
      : work_(std::move(work)),
        merged_(work_->runs(), work_->order, work_->plan.most),
        reader_(work_->rows->layout) {}

  /// One core comes, as rows in an order are asked for by one.
  bool push_piece(int /*core*/, Stage& to) override {
    const std::span<std::byte* const> rows = merged_.next();
    if (!rows.empty()) reader_.push(rows.data(), rows.size(), false, to);
    return !rows.empty();
  }

 private:
  std::shared_ptr<SortWork> work_;
  MergedRows merged_;
  RowReader reader_;
};

std::vector<SortEntry> merged_in_memory(SortWork& work) {
  std::vector<SortEntry> merged = std::move(work.sorted[0]);
  for (std::size_t i = 1; i < work.sorted.size(); ++i) {
    if (work.sorted[i].empty()) continue;
    std::vector<SortEntry> both(merged.size() + work.sorted[i].size());
    std::merge(merged.begin(), merged.end(), work.sorted[i].begin(), work.sorted[i].end(),
               both.begin(), work.order);
    merged = std::move(both);
  }
  if (merged.size() > work.plan.most) merged.resize(work.plan.most);
  return merged;
}

/// Where some rows are in runs, all are.
void end_runs(const Team& team, SortWork& work) {
  team.on_cores([&](int core) {
    const auto index = static_cast<std::size_t>(core);
    work.runs().add(core, work.sorted[index]);
    work.sorted[index] = {};
    work.rows->stores[index]->clear();
  });
}

/// Sends the rows to the first locale, from others.
void send_to_first(SortWork& work, const std::vector<SortEntry>& sorted,
                   const RowExchange& exchange) {
  for (const SortEntry& entry : sorted) exchange.send(entry.row, 0);
  if (!work.has_runs()) return;
  MergedRows merged(work.runs(), work.order, work.plan.most);
  for (std::span<std::byte* const> rows; !(rows = merged.next()).empty();)
    for (const std::byte* const row : rows) exchange.send(row, 0);
}

/// On the first locale those of all; none on the others.
void merge_locales(const Team& team, SortWork& work, std::vector<SortEntry>& sorted) {
  const RowLayout& layout = work.rows->layout;
  const RowExchange exchange(team, layout.row_bytes(), layout.text_offsets());
  if (team.locale != 0) send_to_first(work, sorted, exchange);
  auto arrived = std::make_unique<RowStore>(layout.row_bytes(), budget_of(work.memory));
  const std::size_t most_bytes = work.most_bytes();
  exchange.end(*arrived, [&] {
    if (SortWork::bytes_to_sort(*arrived) > most_bytes) work.spill(0, *arrived);
  });
  if (team.locale != 0) {
    sorted.clear();
  } else if (work.has_runs()) {
    work.runs().add(0, sorted);
    sorted.clear();
    work.spill(0, *arrived);
  } else {
    arrived->for_each([&](std::byte* row) { sorted.push_back(work.order.entry(row)); });
    work.rows->stores.push_back(std::move(arrived));
    work.keep_first(sorted);
    std::sort(sorted.begin(), sorted.end(), work.order);
  }
}

}  // namespace

std::shared_ptr<Source> sort(const Team& team, const Pipeline& input, const Sorting& plan,
                             OperatorMemoryPtr memory) {
  const auto work = std::make_shared<SortWork>(plan, team.cores, std::move(memory));
  run(team, input, [&](int core) { return std::make_unique<SortSink>(*work, core); });
  std::vector<SortEntry> merged;
  if (work->has_runs())
    end_runs(team, *work);
  else
    merged = merged_in_memory(*work);
  if (team.locales > 1) merge_locales(team, *work, merged);
  if (work->has_runs() && team.locale == 0) return std::make_shared<MergedRunsSource>(work);
  std::vector<std::byte*> rows;
  rows.reserve(merged.size());
  for (const SortEntry& entry : merged) rows.push_back(entry.row);
  return ordered_rows_source(work->rows, std::move(rows));
}

}  // namespace grappa::query
