#include "grappa/query/exec/aggregate.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/exec/group_table.hpp"
#include "grappa/query/exec/groups.hpp"
#include "grappa/query/exec/made_once.hpp"
#include "grappa/query/exec/row_exchange.hpp"
#include "grappa/query/exec/spilled_groups.hpp"

namespace grappa::query {
namespace {

/// Less than a table of few groups has, as it is in parts.
constexpr std::size_t kLeastTable = std::size_t{2} << 20;

/// What the cores share, and keep until the groups have been read.
struct Grouping {
  Groups groups;
  std::vector<std::unique_ptr<GroupTable>> tables;  // [cores]
  std::unique_ptr<RowStore> arrived;                // groups of other locales
  std::vector<std::byte*> merged;
  std::vector<TextArena> texts;  // [cores]: of what is merged and of results

  Grouping(const Aggregation& plan, int cores, OperatorMemoryPtr memory)
      : groups(plan, std::move(memory)), tables(static_cast<std::size_t>(cores)) {
    for (auto& table : tables) {
      table = groups.table();
      table->may_forget();
      texts.emplace_back(budget_of(groups.memory));
    }
  }

  template <class F>
  void for_each_row(F&& f) const {
    for (const auto& table : tables) table->for_each(f);
  }
  bool has_spilled() const { return spilled_.made() != nullptr; }
  SpilledGroups& spilled() {
    return spilled_.get([this] {
      return std::make_unique<SpilledGroups>(groups, static_cast<int>(tables.size()));
    });
  }
  /// What a core has; all that it has is in the file then.
  void spill_core(int core) {
    spilled().add(core, *tables[static_cast<std::size_t>(core)]);
    spilled().finish(core);
  }
  void spill_arrived() {
    arrived->for_each([&](const std::byte* row) { spilled().add(0, row); });
    spilled().finish(0);
    arrived->clear();
  }
  std::unique_ptr<SpilledGroups> take_spilled() { return spilled_.take(); }

 private:
  MadeOnce<SpilledGroups> spilled_;
};

class AggregateSink final : public Stage {
 public:
  AggregateSink(Grouping& grouping, int core)
      : grouping_(grouping),
        groups_(grouping.groups),
        core_(core),
        table_(*grouping.tables[static_cast<std::size_t>(core)]) {
    if (groups_.memory) most_bytes_ = std::max(groups_.memory->of_core(), kLeastTable);
  }

  void push(Batch& batch) override {
    find_rows(batch);
    for (std::size_t i = 0; i < groups_.plan.aggregates.size(); ++i) add(i, batch);
    if (!groups_.memory || table_.bytes() <= most_bytes_) return;
    grouping_.spilled().add(core_, table_);
    has_only_row_ = false;
  }

 private:
  void find_rows(const Batch& batch) {
    if (has_only_row_) return;
    vectors_.clear();
    for (const std::size_t place : groups_.plan.keys) vectors_.push_back(batch.columns[place]);
    table_.find_or_add(batch, vectors_, rows_.data());
    if (!groups_.plan.keys.empty() || batch.count == 0) return;
    rows_.fill(rows_[0]);
    has_only_row_ = true;
  }

  void add(std::size_t i, const Batch& batch) {
    const Aggregation::Aggregate& aggregate = groups_.plan.aggregates[i];
    vectors_.clear();
    for (const std::size_t place : aggregate.arguments) vectors_.push_back(batch.columns[place]);
    AggregateCall call{.arguments = vectors_,
                       .batch = &batch,
                       .groups = rows_.data(),
                       .offset = groups_.offsets[i],
                       .texts = &table_.texts(),
                       .is_one_group = groups_.plan.keys.empty()};
    if (!aggregate.filter) {
      aggregate.function.add(call);
      return;
    }
    const Vector& filter = batch.columns[*aggregate.filter];
    Batch some;
    some.rows = batch.rows;
    some.selection = some_positions_.data();
    std::size_t i_row = 0;
    batch.for_each([&](std::size_t row) {
      const std::size_t at = i_row++;
      if (!filter.is_valid(row) || filter.at<std::uint8_t>(row) == 0) return;
      some_positions_[some.count] = static_cast<Position>(row);
      some_rows_[some.count++] = rows_[at];
    });
    call.batch = &some;
    call.groups = some_rows_.data();
    if (some.count > 0) aggregate.function.add(call);
  }

  Grouping& grouping_;
  const Groups& groups_;
  int core_;
  GroupTable& table_;
  std::size_t most_bytes_ = 0;  // in memory, where it is bounded
  std::vector<Vector> vectors_;
  std::array<std::byte*, kBatchRows> rows_;
  bool has_only_row_ = false;  // without keys, once there is a row: all rows_ are that
  std::array<std::byte*, kBatchRows> some_rows_;
  std::array<Position, kBatchRows> some_positions_;
};

class GroupSource final : public Source {
 public:
  explicit GroupSource(std::shared_ptr<Grouping> grouping) : grouping_(std::move(grouping)) {}

  bool push_piece(int core, Stage& to) override {
    const std::vector<std::byte*>& rows = grouping_->merged;
    const std::size_t begin = next_.fetch_add(kBatchRows, std::memory_order_relaxed);
    if (begin >= rows.size()) return false;
    grouping_->groups.show(rows.data() + begin, std::min(kBatchRows, rows.size() - begin),
                           grouping_->texts[static_cast<std::size_t>(core)], true, to);
    return true;
  }

 private:
  std::shared_ptr<Grouping> grouping_;
  std::atomic<std::size_t> next_{0};
};

bool is_owned(const Team& team, const std::byte* row) {
  return team.locales == 1 || owner_of(hash_of_row(row), team.locales) == team.locale;
}

/// Groups that other locales own go there. Those that come are kept in memory as far as they fit.
void exchange_groups(const Team& team, Grouping& grouping) {
  const std::size_t row_bytes = grouping.groups.layout.row_bytes();
  const RowExchange exchange(team, row_bytes, grouping.groups.text_offsets());
  const auto send = [&](const std::byte* row) {
    if (!is_owned(team, row)) exchange.send(row, owner_of(hash_of_row(row), team.locales));
  };
  grouping.for_each_row(send);
  if (grouping.has_spilled()) grouping.spilled().for_each(send);
  grouping.arrived = std::make_unique<RowStore>(row_bytes, budget_of(grouping.groups.memory));
  RowStore& arrived = *grouping.arrived;
  const OperatorMemoryPtr& memory = grouping.groups.memory;
  const std::size_t most_bytes = memory ? memory->of_core() : SIZE_MAX;
  exchange.end(arrived, [&] {
    if (arrived.bytes() > most_bytes) grouping.spill_arrived();
  });
}

/// Each part of the groups by one core.
void merge_parts(const Team& team, Grouping& grouping) {
  constexpr std::size_t kParts = GroupTable::kParts;
  std::array<std::vector<std::byte*>, kParts> arrived;
  if (grouping.arrived) {
    grouping.arrived->for_each(
        [&](std::byte* row) { arrived[GroupTable::part_of(hash_of_row(row))].push_back(row); });
  }
  std::array<std::vector<std::byte*>, kParts> merged;
  std::atomic<std::size_t> next{0};
  team.on_cores([&](int core) {
    TextArena& texts = grouping.texts[static_cast<std::size_t>(core)];
    for (std::size_t part; (part = next.fetch_add(1)) < kParts;) {
      std::size_t most = arrived[part].size();
      for (const auto& table : grouping.tables) most += table->size_of_part(part);
      const std::unique_ptr<GroupTable> all = grouping.groups.table();
      all->expect(most);
      merged[part].reserve(most);
      GroupMerger merger(grouping.groups, *all, texts, merged[part]);
      for (const auto& table : grouping.tables) {
        table->for_each_of_part(part, [&](std::byte* row) {
          if (is_owned(team, row)) merger.push(row);
        });
      }
      for (std::byte* const row : arrived[part]) {
        stop_if_cancelled();
        merger.push(row);
      }
      merger.finish();
    }
  });
  for (const auto& part : merged)
    grouping.merged.insert(grouping.merged.end(), part.begin(), part.end());
}

/// The groups, all of which are in the file, partition by partition.
std::shared_ptr<Source> spilled_source(const Team& team,
                                       const std::shared_ptr<Grouping>& grouping) {
  return spilled_groups_source(
      std::shared_ptr<const Groups>(grouping, &grouping->groups), grouping->take_spilled(),
      [locale = team.locale, locales = team.locales](const std::byte* row) {
        return locales == 1 || owner_of(hash_of_row(row), locales) == locale;
      });
}

}  // namespace

std::shared_ptr<Source> aggregate(const Team& team, const Pipeline& input, const Aggregation& plan,
                                  OperatorMemoryPtr memory) {
  auto grouping = std::make_shared<Grouping>(plan, team.cores, std::move(memory));
  run(team, input, [&](int core) { return std::make_unique<AggregateSink>(*grouping, core); });
  const auto spill_cores = [&] { team.on_cores([&](int core) { grouping->spill_core(core); }); };
  if (grouping->has_spilled()) spill_cores();
  if (team.locales > 1) exchange_groups(team, *grouping);
  if (grouping->has_spilled()) {
    spill_cores();
    if (grouping->arrived) grouping->spill_arrived();
    return spilled_source(team, grouping);
  }
  std::size_t cores_with_groups = 0;
  bool are_merged = team.locales > 1;
  for (const auto& table : grouping->tables) {
    cores_with_groups += table->size() > 0 ? 1 : 0;
    are_merged = are_merged || cores_with_groups > 1 || table->has_forgotten();
  }
  if (are_merged) {
    merge_parts(team, *grouping);
  } else {
    grouping->for_each_row([&](std::byte* row) { grouping->merged.push_back(row); });
  }
  const bool is_owner = owner_of(0, team.locales) == team.locale;
  if (plan.keys.empty() && grouping->merged.empty() && is_owner) {
    std::byte* const row = grouping->tables[0]->append();
    std::memset(row, 0, grouping->groups.layout.row_bytes());
    grouping->groups.start(row);
    grouping->merged.push_back(row);
  }
  return std::make_shared<GroupSource>(grouping);
}

}  // namespace grappa::query
