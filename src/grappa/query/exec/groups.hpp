#pragma once

// The groups of an aggregation: rows with their hash, their key and the states of their aggregates.
//
//   Groups groups(plan, memory);
//   const std::unique_ptr<GroupTable> table = groups.table();
//   GroupMerger merger(groups, *all, texts, merged);      // of several tables
//   table->for_each([&](std::byte* row) { merger.push(row); });
//   merger.finish();

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "grappa/query/exec/aggregate.hpp"
#include "grappa/query/exec/group_table.hpp"
#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/row_layout.hpp"

namespace grappa::query {

struct Groups {
  Groups(const Aggregation& of, OperatorMemoryPtr bound);
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  Aggregation plan;
  OperatorMemoryPtr memory;
  RowLayout layout;
  std::vector<std::size_t> offsets;  // of the states

  std::unique_ptr<GroupTable> table() const;
  /// Where the texts of a row are, also those of states.
  std::vector<std::size_t> text_offsets() const;
  void start(std::byte* row) const;
  void merge(std::byte* to, const std::byte* from, TextArena& texts) const;
  /// Pushes keys and results of up to kBatchRows groups. `texts` is for results; `texts_stay` tells
  /// whether these and the rows are there until the query ends.
  void show(std::byte* const* rows, std::size_t count, TextArena& texts, bool texts_stay,
            Stage& to) const;
};

/// Makes one group of those with the same key. It works some rows behind, when what it needs of
/// them has been fetched.
class GroupMerger {
 public:
  /// `table` finds groups, and has been told how many to expect; they are added to `merged`.
  GroupMerger(const Groups& groups, GroupTable& table, TextArena& texts,
              std::vector<std::byte*>& merged)
      : groups_(groups), table_(table), texts_(texts), merged_(merged) {}

  void push(std::byte* row) {
    table_.prefetch(row);
    std::byte* const before = std::exchange(waiting_[next_ % kRows], row);
    if (const std::byte* const some = waiting_[(next_ + 2 * kRows / 3) % kRows])
      table_.prefetch_row(some);
    if (const std::byte* const some = waiting_[(next_ + kRows / 3) % kRows])
      table_.prefetch_texts(some);
    ++next_;
    if (before != nullptr) add(before);
  }
  void finish() {
    for (std::size_t i = 0; i < kRows; ++i) {
      std::byte* const row = std::exchange(waiting_[next_++ % kRows], nullptr);
      if (row != nullptr) add(row);
    }
  }

 private:
  static constexpr std::size_t kRows = 24;  // as many loads as a core has under way, and more

  void add(std::byte* row) {
    std::byte* const group = table_.find_or_take(row);
    if (group == row)
      merged_.push_back(row);
    else
      groups_.merge(group, row, texts_);
  }

  const Groups& groups_;
  GroupTable& table_;
  TextArena& texts_;
  std::vector<std::byte*>& merged_;
  std::array<std::byte*, kRows> waiting_{};
  std::size_t next_ = 0;
};

}  // namespace grappa::query
