#include "grappa/query/datalog/tuple_set.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::query::datalog {
namespace {

constexpr std::size_t kAhead = 64;  // tuples whose slots are fetched together
constexpr std::uint64_t kTagMask = ~std::uint64_t{0xFFFFFFFF};

std::size_t row_of(std::uint64_t slot) { return (slot & ~kTagMask) - 1; }

}  // namespace

TupleSet::TupleSet(std::size_t arity, std::vector<std::size_t> key, IsLess is_less)
    : arity_(arity), key_(std::move(key)), is_less_(std::move(is_less)), tuples_(arity) {}

std::uint64_t TupleSet::hash_of(const Word* tuple) const {
  if (!is_less_) return hash_tuple(tuple, arity_);
  std::array<Word, 64> key;
  for (std::size_t i = 0; i < key_.size(); ++i) key[i] = tuple[key_[i]];
  return hash_tuple(key.data(), key_.size());
}

bool TupleSet::same_key(const Word* a, const Word* b) const {
  return std::ranges::all_of(key_, [&](std::size_t i) { return a[i] == b[i]; });
}

void TupleSet::insert(const Word* tuples, std::size_t count) {
  std::array<std::uint64_t, kAhead> hashes;
  for (std::size_t begin = 0; begin < count; begin += kAhead) {
    const std::size_t some = std::min(kAhead, count - begin);
    const Word* const first = tuples + begin * arity_;
    make_room(some);
    for (std::size_t i = 0; i < some; ++i) {
      hashes[i] = hash_of(first + i * arity_);
      __builtin_prefetch(&slots_[first_place(hashes[i])]);
    }
    for (std::size_t i = 0; i < some; ++i) {
      const std::uint64_t slot = slots_[first_place(hashes[i])];
      if (slot != 0 && ((slot ^ hashes[i]) & kTagMask) == 0) __builtin_prefetch(row(row_of(slot)));
    }
    for (std::size_t i = 0; i < some; ++i) {
      if (is_less_)
        insert_competing(first + i * arity_, hashes[i]);
      else
        insert_one(first + i * arity_, hashes[i]);
    }
  }
}

void TupleSet::insert_one(const Word* tuple, std::uint64_t hash) {
  const std::uint64_t mask = slots_.size() - 1;
  std::uint64_t at = first_place(hash);
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    if (((slots_[at] ^ hash) & kTagMask) != 0) continue;
    if (same_words(tuple, row(row_of(slots_[at])), arity_)) return;
  }
  slots_[at] = append(tuple, hash);
  ++used_;
}

/// Slots of rows that have lost are taken by the winner, or point at a row that is marked.
void TupleSet::insert_competing(const Word* tuple, std::uint64_t hash) {
  const std::uint64_t mask = slots_.size() - 1;
  std::uint64_t at = first_place(hash);
  std::uint64_t taken = slots_.size();
  std::size_t loser = 0;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    if (((slots_[at] ^ hash) & kTagMask) != 0) continue;
    const std::size_t row = row_of(slots_[at]);
    const Word* const other = this->row(row);
    if (lost_[row] != 0 || !same_key(tuple, other)) continue;
    if (same_words(tuple, other, arity_) || is_less_(tuple, other)) {
      // Those that this one would have replaced are less than the other one, too.
      return;
    }
    if (!is_less_(other, tuple)) continue;
    if (taken == slots_.size()) {
      taken = at;
      loser = row;
      continue;
    }
    lost_[row] = 1;
    if (row < rows_) lost_since_.push_back(static_cast<std::uint32_t>(row));
  }
  if (taken == slots_.size()) {
    slots_[at] = append(tuple, hash);
    ++used_;
    return;
  }
  if (loser >= rows_) {
    // Nobody has seen it.
    std::copy_n(tuple, arity_, tuples_[loser]);
    return;
  }
  lost_[loser] = 1;
  lost_since_.push_back(static_cast<std::uint32_t>(loser));
  slots_[taken] = append(tuple, hash);
}

std::uint64_t TupleSet::append(const Word* tuple, std::uint64_t hash) {
  const std::size_t row = tuples_.size();
  if (row >= std::numeric_limits<std::uint32_t>::max() - 1)
    throw Error("a relation has more tuples than it can");
  std::copy_n(tuple, arity_, tuples_.append());
  if (is_less_) lost_.push_back(0);
  return (hash & kTagMask) | (row + 1);
}

void TupleSet::make_room(std::size_t count) {
  if (2 * (used_ + count) <= slots_.size()) return;
  std::size_t size = std::max<std::size_t>(slots_.size(), 64);
  while (2 * (used_ + count) > size) size *= 2;
  std::vector<std::uint64_t> old(size);
  std::swap(old, slots_);
  used_ = 0;
  for (const std::uint64_t slot : old)
    if (slot != 0 && (!is_less_ || lost_[row_of(slot)] == 0)) place(slot);
}

void TupleSet::place(std::uint64_t slot) {
  const std::uint64_t mask = slots_.size() - 1;
  std::uint64_t at = first_place(slot);
  while (slots_[at] != 0) at = (at + 1) & mask;
  slots_[at] = slot;
  ++used_;
}

void TupleSet::advance(const std::function<void(const Word* tuple)>& gone) {
  for (const std::uint32_t row : lost_since_) {
    gone(this->row(row));
    dead_[row] = 1;
  }
  new_begin_ = rows_;
  rows_ = tuples_.size();
  if (!is_less_) return;
  dead_count_ += lost_since_.size();
  lost_since_.clear();
  const auto fresh = lost_.begin() + static_cast<std::ptrdiff_t>(new_begin_);
  dead_count_ += static_cast<std::size_t>(std::count(fresh, lost_.end(), 1));
  dead_.insert(dead_.end(), fresh, lost_.end());
  if (2 * dead_count_ > rows_ && rows_ > 1000) remove_dead();
}

void TupleSet::remove_dead() {
  std::size_t kept = 0;
  std::size_t new_begin = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (row == new_begin_) new_begin = kept;
    if (dead_[row] != 0) continue;
    if (kept != row) std::copy_n(tuples_[row], arity_, tuples_[kept]);
    ++kept;
  }
  new_begin_ = new_begin_ == rows_ ? kept : new_begin;
  rows_ = kept;
  tuples_.truncate(rows_);
  dead_.assign(rows_, 0);
  lost_.assign(rows_, 0);
  dead_count_ = 0;
  slots_.assign(slots_.size(), 0);
  used_ = 0;
  for (std::size_t row = 0; row < rows_; ++row)
    place((hash_of(tuples_[row]) & kTagMask) | (row + 1));
}

}  // namespace grappa::query::datalog
