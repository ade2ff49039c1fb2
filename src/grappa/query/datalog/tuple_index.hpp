#pragma once

// Tuples by some of their attributes: for each key, what else the tuples have that have it, side by
// side in memory.
//
//   TupleIndex index({1}, 2);                   // of pairs, by the second one
//   const std::uint64_t hash = index.hash(item);    // item: the key, then the rest
//   index.part(TupleIndex::part_of(hash)).add(item, hash);
//   const std::size_t pairs = index.find(&key).count;
//
// An index has parts that different cores may change at the same time; find() is for when nobody
// changes any.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "grappa/query/datalog/program.hpp"
#include "grappa/query/datalog/tuple_set.hpp"

namespace grappa::query::datalog {

/// What the tuples of a key have, one after the other.
struct Matches {
  const Word* first = nullptr;
  std::size_t count = 0;
};

class alignas(64) IndexPart {
 public:
  IndexPart(std::size_t key, std::size_t rest) : key_(key), rest_(rest) {}

  /// Items are the words of the key, then the rest.
  void add(const Word* item, std::uint64_t hash);
  void remove(const Word* item, std::uint64_t hash);
  Matches find(const Word* key, std::uint64_t hash) const;
  void prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[(hash & mask_) * stride()]);
  }
  std::mutex& mutex() { return mutex_; }

 private:
  // A slot: the key; where the rest is, or the rest itself where that is one word; how many there
  // are, in the upper half, and below the logarithm of for how many there is room, plus 1.
  std::size_t stride() const { return key_ + 2; }
  bool is_inside(Word counts) const { return rest_ == 1 && (counts & 0xFF) == 1; }
  Word* find_slot(const Word* key, std::uint64_t hash);
  void grow_slots();
  void grow_rest(Word* slot);
  Word* allocate(std::size_t logarithm);

  std::size_t key_;
  std::size_t rest_;
  std::vector<Word> slots_;
  std::uint64_t mask_ = 0;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Word[]>> blocks_;
  Word* next_ = nullptr;
  std::size_t left_ = 0;
  std::array<Word*, 40> free_{};  // by logarithm; each has the next one in its first word
  std::mutex mutex_;
};

class TupleIndex {
 public:
  TupleIndex(std::vector<std::size_t> key, std::size_t arity);

  const std::vector<std::size_t>& key() const { return key_; }
  /// Attributes of a tuple in the order of an item.
  const std::vector<std::size_t>& order() const { return order_; }

  static constexpr std::size_t kParts = 64;
  std::uint64_t hash(const Word* item) const { return hash_tuple(item, key_.size()); }
  static std::size_t part_of(std::uint64_t hash) { return hash >> 58; }
  IndexPart& part(std::size_t i) { return *parts_[i]; }

  Matches find(const Word* key) const {
    const std::uint64_t of = hash(key);
    return parts_[part_of(of)]->find(key, of);
  }
  void prefetch(const Word* key) const {
    const std::uint64_t of = hash(key);
    parts_[part_of(of)]->prefetch(of);
  }

 private:
  std::vector<std::size_t> key_;
  std::vector<std::size_t> order_;
  std::vector<std::unique_ptr<IndexPart>> parts_;
};

}  // namespace grappa::query::datalog
