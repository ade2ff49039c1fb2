#pragma once

// GroupTable: rows with different keys, found by them.
//
//   GroupTable groups(layout, 2, start);         // two keys: the first columns of the layout
//   std::byte* rows[kBatchRows];
//   groups.find_or_add(batch, keys, rows);    // the row of each selected row's key
//
// Open addressing with linear probing, at most half full; a slot has the address of its row, and 16
// bits of the hash that mostly spare looking there. A batch is looked up as a whole, column by
// column, so that loads that miss the caches overlap. Rows whose hashes begin alike lie together:
// a part of them is merged with that of other tables, and read, as it lies in memory. For one core.
//
// A table whose rows are merged anyway may forget: where hardly any row has the key of one before,
// it does not grow out of the processor's cache, but begins anew, and the rows with a key that was
// forgotten are several.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "grappa/query/distinct_sketch.hpp"
#include "grappa/query/exec/hashing.hpp"
#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/exec/zeroed_words.hpp"

namespace grappa::query {

/// Rows of groups begin with the hash of their key.
inline std::uint64_t hash_of_row(const std::byte* row) {
  return *reinterpret_cast<const std::uint64_t*>(row);
}

class GroupTable {
 public:
  /// `start(row)` is called for each new row; its keys are set by then. `layout` begins with 8
  /// bytes. What it has is charged to the budget.
  GroupTable(const RowLayout& layout, std::size_t keys, std::function<void(std::byte*)> start,
             MemoryBudget* budget = nullptr);

  void find_or_add(const Batch& batch, std::span<const Vector> keys, std::byte** rows);
  /// From now on, where it pays. There are at most some three rows for each key then.
  void may_forget() { forgets_ = true; }
  bool has_forgotten() const { return has_forgotten_; }
  /// The row with the key of `row`, a row of another table of the same layout; or `row` itself,
  /// which this table finds from now on, if there is none. Of a table that adds no rows itself, and
  /// to which no more are given than it has been told to expect.
  std::byte* find_or_take(std::byte* row);
  /// Fetches what find_or_take() will look at: the slot; when that is there, the row in it; and
  /// then the texts of both.
  void prefetch(const std::byte* row) const {
    __builtin_prefetch(&slots_[hash_of_row(row) & (slots_.size() - 1)]);
  }
  void prefetch_row(const std::byte* row) const {
    if (const std::byte* const other = first_candidate(row)) __builtin_prefetch(other);
  }
  void prefetch_texts(const std::byte* row) const;
  void expect(std::size_t groups);
  /// A row of its own that nobody finds.
  std::byte* append();

  std::size_t size() const { return size_; }
  std::size_t bytes() const;
  /// Forgets all rows.
  void clear();
  TextArena& texts() { return texts_; }

  /// Rows by the first bits of their hashes.
  static constexpr std::size_t kParts = 64;
  static std::size_t part_of(std::uint64_t hash) { return hash >> 58; }
  /// f(row), for those of a part, or all that it has added.
  template <class F>
  void for_each_of_part(std::size_t part, F&& f) const {
    if (!parts_.empty()) parts_[part].for_each(f);
  }
  template <class F>
  void for_each(F&& f) const {
    for (const RowStore& part : parts_) part.for_each(f);
  }
  std::size_t size_of_part(std::size_t part) const {
    return parts_.empty() ? 0 : parts_[part].rows();
  }

 private:
  static constexpr std::uint64_t kAddress = (std::uint64_t{1} << 48) - 1;
  static std::uint64_t tag_of(std::uint64_t hash) { return hash & ~kAddress; }
  static std::byte* row_in(std::uint64_t slot) {
    return reinterpret_cast<std::byte*>(slot & kAddress);
  }
  /// In the first slot that is looked at, if it may have the same key.
  const std::byte* first_candidate(const std::byte* row) const {
    const std::uint64_t hash = hash_of_row(row);
    const std::uint64_t slot = slots_[hash & (slots_.size() - 1)];
    return slot != 0 && tag_of(slot) == tag_of(hash) ? row_in(slot) : nullptr;
  }
  void reserve(std::size_t more);
  bool is_better_forgotten();
  void make_slots(std::size_t groups);
  std::vector<RowStore>& parts();
  bool same_keys(const std::byte* a, const std::byte* b) const;
  void write_fresh(const Batch& batch, std::span<const Vector> keys, std::byte* const* rows,
                   std::size_t fresh);

  const RowLayout* layout_;
  std::size_t keys_;
  std::function<void(std::byte*)> start_;
  MemoryBudget* budget_;
  std::vector<RowStore> parts_;  // [kParts], once there is a row
  TextArena texts_;              // of all rows
  ZeroedWords slots_;            // 0: free
  std::size_t size_ = 0;
  std::size_t in_slots_ = 0;   // rows that are found
  std::size_t looked_up_ = 0;  // since they began
  bool forgets_ = false;
  bool has_forgotten_ = false;
  DistinctSketch keys_seen_;  // while it may forget

  // Of the batch that is looked up.
  std::array<std::uint64_t, kBatchRows> hashes_;
  std::array<std::uint32_t, kBatchRows> places_;
  std::array<std::uint16_t, kBatchRows> open_;
  std::array<std::uint16_t, kBatchRows> candidates_;
  std::array<std::uint16_t, kBatchRows> fresh_;
  std::array<Position, kBatchRows> fresh_positions_;
  std::vector<std::byte*> fresh_rows_;
};

}  // namespace grappa::query
