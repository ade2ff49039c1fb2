#include "grappa/query/exec/aggregate.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/exec/group_table.hpp"
#include "grappa/query/exec/row_exchange.hpp"

namespace grappa::query {
namespace {

/// What the cores share, and keep until the groups have been read.
struct Groups {
  Aggregation plan;
  RowLayout layout;
  std::vector<std::size_t> offsets;                 // of the states
  std::vector<std::unique_ptr<GroupTable>> tables;  // [cores]
  std::unique_ptr<RowStore> arrived;                // groups of other locales
  std::vector<std::byte*> merged;
  std::vector<TextArena> texts;  // [cores]: of what is merged and of results

  explicit Groups(const Aggregation& of, int cores)
      : plan(of), texts(static_cast<std::size_t>(cores)) {
    layout.add_bytes(sizeof(std::uint64_t), 8);
    for (const Type& type : plan.key_types) layout.add(type);
    for (const Aggregation::Aggregate& aggregate : plan.aggregates)
      offsets.push_back(
          layout.add_bytes(aggregate.function.state_bytes, aggregate.function.state_alignment));
    tables.resize(static_cast<std::size_t>(cores));
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  template <class F>
  void for_each_row(F&& f) const {
    for (const auto& table : tables) table->for_each(f);
  }
  std::unique_ptr<GroupTable> table() const {
    return std::make_unique<GroupTable>(layout, plan.keys.size(), [this](std::byte* row) {
      for (std::size_t i = 0; i < offsets.size(); ++i)
        plan.aggregates[i].function.start(row + offsets[i]);
    });
  }
  void merge(std::byte* to, const std::byte* from, TextArena& of_core) const {
    for (std::size_t i = 0; i < offsets.size(); ++i)
      plan.aggregates[i].function.merge(to + offsets[i], from + offsets[i], of_core);
  }
};

class AggregateSink final : public Stage {
 public:
  AggregateSink(const Groups& groups, GroupTable& table) : groups_(groups), table_(table) {}

  void push(Batch& batch) override {
    vectors_.clear();
    for (const std::size_t place : groups_.plan.keys) vectors_.push_back(batch.columns[place]);
    table_.find_or_add(batch, vectors_, rows_.data());
    for (std::size_t i = 0; i < groups_.plan.aggregates.size(); ++i) add(i, batch);
  }

 private:
  void add(std::size_t i, const Batch& batch) {
    const Aggregation::Aggregate& aggregate = groups_.plan.aggregates[i];
    vectors_.clear();
    for (const std::size_t place : aggregate.arguments) vectors_.push_back(batch.columns[place]);
    AggregateCall call{.arguments = vectors_,
                       .batch = &batch,
                       .groups = rows_.data(),
                       .offset = groups_.offsets[i],
                       .texts = &table_.texts()};
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

  const Groups& groups_;
  GroupTable& table_;
  std::vector<Vector> vectors_;
  std::array<std::byte*, kBatchRows> rows_;
  std::array<std::byte*, kBatchRows> some_rows_;
  std::array<Position, kBatchRows> some_positions_;
};

class GroupSource final : public Source {
 public:
  explicit GroupSource(std::shared_ptr<Groups> groups) : groups_(std::move(groups)) {}

  bool push_piece(int core, Stage& to) override {
    const std::vector<std::byte*>& rows = groups_->merged;
    const std::size_t begin = next_.fetch_add(kBatchRows, std::memory_order_relaxed);
    if (begin >= rows.size()) return false;
    const std::size_t count = std::min(kBatchRows, rows.size() - begin);
    const std::size_t keys = groups_->plan.keys.size();
    std::vector<VectorBuffer> buffers;
    for (const Type& type : groups_->plan.key_types) buffers.emplace_back(type);
    for (const auto& aggregate : groups_->plan.aggregates)
      buffers.emplace_back(aggregate.function.result);
    Batch batch;
    batch.rows = batch.count = count;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (i < keys) {
        groups_->layout.read(i, rows.data() + begin, count, nullptr, count, buffers[i]);
      } else {
        groups_->plan.aggregates[i - keys].function.finish(
            rows.data() + begin, count, groups_->offsets[i - keys], buffers[i],
            groups_->texts[static_cast<std::size_t>(core)]);
      }
      batch.columns.push_back(buffers[i].vector(true));
    }
    to.push(batch);
    return true;
  }

 private:
  std::shared_ptr<Groups> groups_;
  std::atomic<std::size_t> next_{0};
};

/// Groups that other locales own go there.
void exchange_groups(const Team& team, Groups& groups) {
  std::vector<std::size_t> texts = text_offsets(groups.layout);
  for (std::size_t i = 0; i < groups.offsets.size(); ++i) {
    const std::ptrdiff_t at = groups.plan.aggregates[i].function.text_at;
    if (at >= 0) texts.push_back(groups.offsets[i] + static_cast<std::size_t>(at));
  }
  const RowExchange exchange(team, groups.layout.row_bytes(), std::move(texts));
  groups.for_each_row([&](std::byte* row) {
    const int owner = owner_of(hash_of_row(row), team.locales);
    if (owner != team.locale) exchange.send(row, owner);
  });
  groups.arrived = std::make_unique<RowStore>(groups.layout.row_bytes());
  exchange.end(*groups.arrived);
}

/// Calls add(row) for the rows that come, some rows behind, when what they need has been fetched.
template <class Add>
class Behind {
 public:
  Behind(const GroupTable& table, const Add& add) : table_(table), add_(add) {}
  void push(std::byte* row) {
    table_.prefetch(row);
    std::byte* const before = std::exchange(waiting_[next_++ % kRows], row);
    if (before != nullptr) add_(before);
  }
  void finish() {
    for (std::size_t i = 0; i < kRows; ++i) {
      std::byte* const row = std::exchange(waiting_[next_++ % kRows], nullptr);
      if (row != nullptr) add_(row);
    }
  }

 private:
  static constexpr std::size_t kRows = 16;  // as many loads as a core has under way
  const GroupTable& table_;
  const Add& add_;
  std::array<std::byte*, kRows> waiting_{};
  std::size_t next_ = 0;
};

/// Each part of the groups by one core.
void merge_parts(const Team& team, Groups& groups) {
  constexpr std::size_t kParts = GroupTable::kParts;
  const auto is_mine = [&](std::byte* row) {
    return team.locales == 1 || owner_of(hash_of_row(row), team.locales) == team.locale;
  };
  std::array<std::vector<std::byte*>, kParts> arrived;
  if (groups.arrived) {
    groups.arrived->for_each(
        [&](std::byte* row) { arrived[GroupTable::part_of(hash_of_row(row))].push_back(row); });
  }
  std::array<std::vector<std::byte*>, kParts> merged;
  std::atomic<std::size_t> next{0};
  team.on_cores([&](int core) {
    TextArena& texts = groups.texts[static_cast<std::size_t>(core)];
    for (std::size_t part; (part = next.fetch_add(1)) < kParts;) {
      std::size_t most = arrived[part].size();
      for (const auto& table : groups.tables) most += table->size_of_part(part);
      const std::unique_ptr<GroupTable> all = groups.table();
      all->expect(most);
      merged[part].reserve(most);
      const auto add = [&](std::byte* row) {
        std::byte* const group = all->find_or_take(row);
        if (group == row)
          merged[part].push_back(row);
        else
          groups.merge(group, row, texts);
      };
      Behind behind(*all, add);
      for (const auto& table : groups.tables) {
        table->for_each_of_part(part, [&](std::byte* row) {
          if (is_mine(row)) behind.push(row);
        });
      }
      for (std::byte* const row : arrived[part]) {
        stop_if_cancelled();
        behind.push(row);
      }
      behind.finish();
    }
  });
  for (const auto& part : merged)
    groups.merged.insert(groups.merged.end(), part.begin(), part.end());
}

}  // namespace

std::shared_ptr<Source> aggregate(const Team& team, const Pipeline& input,
                                  const Aggregation& plan) {
  auto groups = std::make_shared<Groups>(plan, team.cores);
  for (auto& table : groups->tables) {
    table = groups->table();
    table->may_forget();
  }
  run(team, input, [&](int core) {
    return std::make_unique<AggregateSink>(*groups,
                                           *groups->tables[static_cast<std::size_t>(core)]);
  });
  std::size_t cores_with_groups = 0;
  bool are_merged = team.locales > 1;
  for (const auto& table : groups->tables) {
    cores_with_groups += table->size() > 0 ? 1 : 0;
    are_merged = are_merged || cores_with_groups > 1 || table->has_forgotten();
  }
  if (team.locales > 1) exchange_groups(team, *groups);
  if (are_merged) {
    merge_parts(team, *groups);
  } else {
    groups->for_each_row([&](std::byte* row) { groups->merged.push_back(row); });
  }
  const bool is_owner = owner_of(0, team.locales) == team.locale;
  if (plan.keys.empty() && groups->merged.empty() && is_owner) {
    std::byte* const row = groups->tables[0]->append();
    std::memset(row, 0, groups->layout.row_bytes());
    for (std::size_t i = 0; i < groups->offsets.size(); ++i)
      plan.aggregates[i].function.start(row + groups->offsets[i]);
    groups->merged.push_back(row);
  }
  return std::make_shared<GroupSource>(groups);
}

}  // namespace grappa::query
