#include "grappa/query/exec/spilled_groups.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "grappa/query/exec/partitioned_rows.hpp"

namespace grappa::query {
namespace {

/// Bytes that a group has in memory and not in the file: slots of its table, its place.
constexpr std::size_t kMoreBytesOfGroup = 40;

class SpilledGroupsSource final : public Source {
 public:
  SpilledGroupsSource(std::shared_ptr<const Groups> groups, std::unique_ptr<SpilledGroups> spilled,
                      std::function<bool(const std::byte*)> is_shown)
      : groups_(std::move(groups)), spilled_(std::move(spilled)), is_shown_(std::move(is_shown)) {}

  bool push_piece(int /*core*/, Stage& to) override {
    const std::size_t partition = next_.fetch_add(1, std::memory_order_relaxed);
    if (partition >= kSpillPartitions) return false;
    show(*spilled_, partition, to);
    return true;
  }

 private:
  void show(const SpilledGroups& spilled, std::size_t partition, Stage& to) const {
    const std::size_t rows = spilled.rows().rows(partition);
    if (rows == 0) return;
    const std::size_t bytes = spilled.rows().bytes(partition) + kMoreBytesOfGroup * rows;
    if (bytes > groups_->memory->of_core() && spilled.level() < kMostSpillLevels) {
      const SpilledGroups parts = divided(spilled, partition);
      for (std::size_t part = 0; part < kSpillPartitions; ++part) show(parts, part, to);
      return;
    }
    groups_->memory->budget()->require(spilled.rows().bytes(partition));
    RowStore store = stored(spilled, partition);
    const std::unique_ptr<GroupTable> all = groups_->table();
    all->expect(rows);
    TextArena texts(groups_->memory->budget());
    std::vector<std::byte*> merged;
    GroupMerger merger(*groups_, *all, texts, merged);
    store.for_each([&](std::byte* row) {
      if (is_shown_(row)) merger.push(row);
    });
    merger.finish();
    for (std::size_t begin = 0; begin < merged.size(); begin += kBatchRows)
      groups_->show(merged.data() + begin, std::min(kBatchRows, merged.size() - begin), texts,
                    false, to);
  }

  RowStore stored(const SpilledGroups& spilled, std::size_t partition) const {
    RowStore store(groups_->layout.row_bytes(), groups_->memory->budget());
    for (std::size_t piece = 0; piece < spilled.rows().pieces(partition); ++piece)
      spilled.rows().read(partition, piece, store);
    return store;
  }

  SpilledGroups divided(const SpilledGroups& spilled, std::size_t partition) const {
    SpilledGroups parts(*groups_, 1, spilled.level() + 1);
    for (std::size_t piece = 0; piece < spilled.rows().pieces(partition); ++piece) {
      RowStore store(groups_->layout.row_bytes(), groups_->memory->budget());
      spilled.rows().read(partition, piece, store);
      store.for_each([&](std::byte* row) { parts.add(0, row); });
    }
    parts.finish(0);
    return parts;
  }

  std::shared_ptr<const Groups> groups_;
  std::unique_ptr<SpilledGroups> spilled_;
  std::function<bool(const std::byte*)> is_shown_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

SpilledGroups::SpilledGroups(const Groups& groups, int cores, int level)
    : groups_(groups),
      level_(level),
      rows_(groups.memory, groups.layout.row_bytes(), groups.text_offsets(), kSpillPartitions,
            cores) {}

void SpilledGroups::add(int core, const std::byte* row) {
  rows_.add(core, spill_partition_of(hash_of_row(row), level_), row);
}

void SpilledGroups::add(int core, GroupTable& table) {
  table.for_each([&](const std::byte* row) { add(core, row); });
  table.clear();
}

void SpilledGroups::for_each(const std::function<void(std::byte*)>& f) const {
  for (std::size_t partition = 0; partition < kSpillPartitions; ++partition) {
    for (std::size_t piece = 0; piece < rows_.pieces(partition); ++piece) {
      RowStore store(groups_.layout.row_bytes(), groups_.memory->budget());
      rows_.read(partition, piece, store);
      store.for_each(f);
    }
  }
}

std::shared_ptr<Source> spilled_groups_source(std::shared_ptr<const Groups> groups,
                                              std::unique_ptr<SpilledGroups> spilled,
                                              std::function<bool(const std::byte*)> is_shown) {
  return std::make_shared<SpilledGroupsSource>(std::move(groups), std::move(spilled),
                                               std::move(is_shown));
}

}  // namespace grappa::query
