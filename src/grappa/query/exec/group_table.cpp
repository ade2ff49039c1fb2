#include "grappa/query/exec/group_table.hpp"

#include <bit>
#include <cstring>
#include <utility>

namespace grappa::query {
namespace {

/// Where in the table a hash begins to look: bits that neither tag nor owner are chosen by.
std::size_t first_place(std::uint64_t hash, std::size_t mask) { return hash & mask; }

// A megabyte: half of what caches of the second level have.
constexpr std::size_t kSlotsInCache = std::size_t{1} << 17;

}  // namespace

GroupTable::GroupTable(const RowLayout& layout, std::size_t keys,
                       std::function<void(std::byte*)> start, MemoryBudget* budget)
    : layout_(&layout),
      keys_(keys),
      start_(std::move(start)),
      budget_(budget),
      texts_(budget),
      fresh_rows_(kBatchRows) {}

std::size_t GroupTable::bytes() const {
  std::size_t all = texts_.bytes() + slots_.size() * sizeof(std::uint64_t);
  for (const RowStore& part : parts_) all += part.bytes();
  return all;
}

void GroupTable::clear() {
  parts_.clear();
  texts_ = TextArena(budget_);
  slots_ = {};
  size_ = in_slots_ = looked_up_ = 0;
}

std::vector<RowStore>& GroupTable::parts() {
  if (parts_.empty()) {
    parts_.reserve(kParts);
    for (std::size_t i = 0; i < kParts; ++i) parts_.emplace_back(layout_->row_bytes(), budget_);
  }
  return parts_;
}

void GroupTable::make_slots(std::size_t groups) {
  slots_ = {};  // both at once would be too much
  slots_ = ZeroedWords(std::bit_ceil(std::max<std::size_t>(2 * groups, 1024)), budget_);
}

void GroupTable::expect(std::size_t groups) {
  if (2 * groups > slots_.size()) make_slots(groups);
}

/// Keys that come again are rare: one row in five of the last ones, every other of all.
bool GroupTable::is_better_forgotten() {
  if (!forgets_ || slots_.size() < kSlotsInCache || 4 * looked_up_ > 5 * in_slots_) return false;
  forgets_ = static_cast<double>(size_) <= 2 * keys_seen_.estimate();
  return forgets_;
}

/// The slots are made anew of the rows, which lie side by side.
void GroupTable::reserve(std::size_t more) {
  if (2 * (in_slots_ + more) <= slots_.size()) return;
  if (is_better_forgotten()) {
    slots_.clear();
    in_slots_ = looked_up_ = 0;
    has_forgotten_ = true;
    return;
  }
  make_slots(2 * (size_ + more));
  const std::size_t mask = slots_.size() - 1;
  for_each([&](std::byte* row) {
    const std::uint64_t hash = hash_of_row(row);
    std::size_t place = first_place(hash, mask);
    while (slots_[place] != 0) place = (place + 1) & mask;
    slots_[place] = reinterpret_cast<std::uintptr_t>(row) | tag_of(hash);
  });
  in_slots_ = size_;
}

std::byte* GroupTable::append() { return parts()[0].append(); }

void GroupTable::write_fresh(const Batch& batch, std::span<const Vector> keys,
                             std::byte* const* rows, std::size_t fresh) {
  Batch part;
  part.rows = batch.rows;
  part.count = fresh;
  part.selection = fresh_positions_.data();
  for (std::size_t k = 0; k < fresh; ++k) {
    const std::uint16_t i = fresh_[k];
    fresh_positions_[k] = static_cast<Position>(batch.position(i));
    fresh_rows_[k] = rows[i];
    std::memcpy(rows[i], &hashes_[i], sizeof hashes_[i]);
  }
  for (std::size_t key = 0; key < keys_; ++key)
    layout_->write(key, keys[key], part, fresh_rows_.data(), texts_);
  for (std::size_t k = 0; k < fresh; ++k) start_(fresh_rows_[k]);
  if (!forgets_) return;
  for (std::size_t k = 0; k < fresh; ++k) keys_seen_.add(hashes_[fresh_[k]]);
}

void GroupTable::find_or_add(const Batch& batch, std::span<const Vector> keys, std::byte** rows) {
  reserve(batch.count);
  looked_up_ += batch.count;
  hash_rows(batch, keys, hashes_.data());
  const std::size_t mask = slots_.size() - 1;
  std::vector<RowStore>& stores = parts();
  std::size_t open = batch.count;
  for (std::size_t i = 0; i < open; ++i) {
    open_[i] = static_cast<std::uint16_t>(i);
    places_[i] = static_cast<std::uint32_t>(first_place(hashes_[i], mask));
    __builtin_prefetch(&slots_[places_[i]]);
  }
  while (open > 0) {
    std::size_t fresh = 0;
    std::size_t candidates = 0;
    for (std::size_t k = 0; k < open; ++k) {
      const std::uint16_t i = open_[k];
      std::size_t place = places_[i];
      for (;; place = (place + 1) & mask) {
        std::uint64_t& slot = slots_[place];
        if (slot == 0) {
          rows[i] = stores[part_of(hashes_[i])].append();
          slot = reinterpret_cast<std::uintptr_t>(rows[i]) | tag_of(hashes_[i]);
          ++size_;
          ++in_slots_;
          fresh_[fresh++] = i;
          break;
        }
        if (tag_of(slot) == tag_of(hashes_[i])) {
          rows[i] = row_in(slot);
          __builtin_prefetch(rows[i]);
          candidates_[candidates++] = i;
          break;
        }
      }
      places_[i] = static_cast<std::uint32_t>(place);
    }
    if (fresh > 0) write_fresh(batch, keys, rows, fresh);
    open = 0;
    for (std::size_t key = 0; key < keys_ && candidates > 0; ++key)
      candidates = keep_equal(*layout_, key, keys[key], batch, rows, candidates_.data(), candidates,
                              open_.data(), open);
    for (std::size_t k = 0; k < open; ++k) {
      const std::uint16_t i = open_[k];
      places_[i] = static_cast<std::uint32_t>((places_[i] + 1) & mask);
    }
  }
}

bool GroupTable::same_keys(const std::byte* a, const std::byte* b) const {
  for (std::size_t key = 0; key < keys_; ++key) {
    const bool first = layout_->is_null(key, a);
    if (first != layout_->is_null(key, b)) return false;
    if (first) continue;
    const bool equal = with_physical(layout_->column(key).type.physical(), [&]<class T>() {
      return equal_values(layout_->at<T>(key, a), layout_->at<T>(key, b));
    });
    if (!equal) return false;
  }
  return true;
}

void GroupTable::prefetch_texts(const std::byte* row) const {
  const std::byte* const other = first_candidate(row);
  if (other == nullptr) return;
  for (std::size_t key = 0; key < keys_; ++key) {
    if (!layout_->column(key).type.is_text()) continue;
    for (const std::byte* const of : {row, other})
      __builtin_prefetch(layout_->at<TextRef>(key, of).data());
  }
}

std::byte* GroupTable::find_or_take(std::byte* row) {
  const std::uint64_t hash = hash_of_row(row);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t place = first_place(hash, mask);; place = (place + 1) & mask) {
    std::uint64_t& slot = slots_[place];
    if (slot == 0) {
      slot = reinterpret_cast<std::uintptr_t>(row) | tag_of(hash);
      ++size_;
      ++in_slots_;
      return row;
    }
    if (tag_of(slot) == tag_of(hash) && hash_of_row(row_in(slot)) == hash &&
        same_keys(row_in(slot), row))
      return row_in(slot);
  }
}

}  // namespace grappa::query
