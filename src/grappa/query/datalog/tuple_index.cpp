#include "grappa/query/datalog/tuple_index.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace grappa::query::datalog {
namespace {

constexpr Word kOne = Word{1} << 32;

std::size_t count_of(Word counts) { return counts >> 32; }
std::size_t room_of(Word counts) { return std::size_t{1} << ((counts & 0xFF) - 1); }

}  // namespace

Word* IndexPart::find_slot(const Word* key, std::uint64_t hash) {
  for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
    Word* const slot = &slots_[at * stride()];
    if (slot[key_ + 1] == 0 || same_words(key, slot, key_)) return slot;
  }
}

Matches IndexPart::find(const Word* key, std::uint64_t hash) const {
  if (slots_.empty()) return {};
  for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
    const Word* const slot = &slots_[at * stride()];
    const Word counts = slot[key_ + 1];
    if (counts == 0) return {};
    if (!same_words(key, slot, key_)) continue;
    if (is_inside(counts)) return {slot + key_, count_of(counts)};
    return {std::bit_cast<const Word*>(slot[key_]), count_of(counts)};
  }
}

void IndexPart::add(const Word* item, std::uint64_t hash) {
  if (2 * (used_ + 1) > slots_.size() / stride()) grow_slots();
  Word* const slot = find_slot(item, hash);
  Word& counts = slot[key_ + 1];
  if (counts == 0) {
    ++used_;
    std::copy_n(item, key_, slot);
    counts = 1;
    if (rest_ > 1) slot[key_] = std::bit_cast<Word>(allocate(0));
  }
  if (rest_ > 0) {
    if (count_of(counts) == room_of(counts)) grow_rest(slot);
    Word* const to = is_inside(counts) ? slot + key_ : std::bit_cast<Word*>(slot[key_]);
    std::copy_n(item + key_, rest_, to + count_of(counts) * rest_);
  }
  counts += kOne;
}

void IndexPart::remove(const Word* item, std::uint64_t hash) {
  if (slots_.empty()) return;
  Word* const slot = find_slot(item, hash);
  Word& counts = slot[key_ + 1];
  const std::size_t count = count_of(counts);
  if (count == 0) return;
  if (rest_ > 0) {
    Word* const first = is_inside(counts) ? slot + key_ : std::bit_cast<Word*>(slot[key_]);
    std::size_t i = 0;
    while (i < count && !same_words(item + key_, first + i * rest_, rest_)) ++i;
    if (i == count) return;
    std::copy_n(first + (count - 1) * rest_, rest_, first + i * rest_);
  }
  counts -= kOne;
}

void IndexPart::grow_slots() {
  const std::size_t old_size = slots_.size() / stride();
  const std::size_t size = std::max<std::size_t>(16, 2 * old_size);
  std::vector<Word> old(size * stride());
  std::swap(old, slots_);
  mask_ = size - 1;
  for (std::size_t i = 0; i < old_size; ++i) {
    const Word* const slot = &old[i * stride()];
    if (slot[key_ + 1] == 0) continue;
    std::copy_n(slot, stride(), find_slot(slot, hash_tuple(slot, key_)));
  }
}

void IndexPart::grow_rest(Word* slot) {
  Word& counts = slot[key_ + 1];
  const std::size_t logarithm = (counts & 0xFF) - 1;
  // What was inside needs a few places at once.
  const std::size_t more = is_inside(counts) ? 2 : logarithm + 1;
  Word* const to = allocate(more);
  Word* const from = is_inside(counts) ? slot + key_ : std::bit_cast<Word*>(slot[key_]);
  std::copy_n(from, count_of(counts) * rest_, to);
  if (!is_inside(counts)) {
    from[0] = std::bit_cast<Word>(free_[logarithm]);
    free_[logarithm] = from;
  }
  slot[key_] = std::bit_cast<Word>(to);
  counts = (counts & ~Word{0xFF}) | (more + 1);
}

Word* IndexPart::allocate(std::size_t logarithm) {
  if (Word* const found = free_[logarithm]) {
    free_[logarithm] = std::bit_cast<Word*>(found[0]);
    return found;
  }
  const std::size_t words = rest_ << logarithm;
  if (words > left_) {
    constexpr std::size_t kMostDoublings = 9;
    left_ = std::max(words, std::size_t{64} << std::min(kMostDoublings, blocks_.size()));
    blocks_.push_back(std::make_unique_for_overwrite<Word[]>(left_));
    next_ = blocks_.back().get();
  }
  Word* const made = next_;
  next_ += words;
  left_ -= words;
  return made;
}

TupleIndex::TupleIndex(std::vector<std::size_t> key, std::size_t arity) : key_(std::move(key)) {
  order_ = key_;
  for (std::size_t i = 0; i < arity; ++i)
    if (std::ranges::find(key_, i) == key_.end()) order_.push_back(i);
  for (std::size_t i = 0; i < kParts; ++i)
    parts_.push_back(std::make_unique<IndexPart>(key_.size(), arity - key_.size()));
}

}  // namespace grappa::query::datalog
