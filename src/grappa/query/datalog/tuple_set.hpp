#pragma once

// A set of tuples that says what is new, in rounds.
//
//   TupleSet set(2);
//   set.insert(tuples, 100);                 // those that are there are left out
//   set.advance([](const Word* gone) {});    // what was inserted are its new rows now
//   for (std::size_t row = set.new_begin(); row < set.rows(); ++row) use(set.row(row));
//
// With a dominance, a tuple is left out where there is one of the same key that is more, and goes
// when such a one comes. Rows do not move between two calls of advance(), so that others may read
// them while one inserts; insert() and advance() are for one core at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "grappa/query/datalog/program.hpp"
#include "grappa/query/datalog/tuple_rows.hpp"

namespace grappa::query::datalog {

inline std::uint64_t hash_tuple(const Word* words, std::size_t count) {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (std::size_t i = 0; i < count; ++i) {
    const Wide product = Wide{hash ^ words[i]} * 0xD6E8FEB86659FD93u;
    hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  return hash;
}

/// Tuples are short: not worth a call of memcmp().
inline bool same_words(const Word* a, const Word* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

/// Whether the first tuple goes where the second one is.
using IsLess = std::function<bool(const Word* less, const Word* more)>;

class TupleSet {
 public:
  /// Tuples of so many words. With `is_less`, those compete that have the same words at `key`.
  explicit TupleSet(std::size_t arity, std::vector<std::size_t> key = {}, IsLess is_less = {});

  void insert(const Word* tuples, std::size_t count);
  /// Calls gone(tuple) for each row from before that is there no more.
  void advance(const std::function<void(const Word* tuple)>& gone);

  // ---- As of the last advance()
  std::size_t rows() const { return rows_; }
  const Word* row(std::size_t i) const { return tuples_[i]; }
  bool is_live(std::size_t row) const { return dead_.empty() || dead_[row] == 0; }
  std::size_t new_begin() const { return new_begin_; }
  std::size_t live_rows() const { return rows_ - dead_count_; }

  // ---- Since then
  std::size_t added() const { return tuples_.size() - rows_; }
  /// take(tuples, count), perhaps more than once.
  template <class Take>
  void for_added(const Take& take) const {
    tuples_.for_each_run(rows_, tuples_.size(), take);
  }

 private:
  std::uint64_t hash_of(const Word* tuple) const;
  bool same_key(const Word* a, const Word* b) const;
  void insert_one(const Word* tuple, std::uint64_t hash);
  void insert_competing(const Word* tuple, std::uint64_t hash);
  std::uint64_t append(const Word* tuple, std::uint64_t hash);
  void make_room(std::size_t count);
  void place(std::uint64_t slot);
  /// Of a hash, or of a slot.
  std::uint64_t first_place(std::uint64_t hash) const { return hash >> 32 & (slots_.size() - 1); }
  void remove_dead();

  std::size_t arity_;
  std::vector<std::size_t> key_;
  IsLess is_less_;
  TupleRows tuples_;  // with those that were added since
  std::size_t rows_ = 0;
  std::size_t new_begin_ = 0;
  std::size_t used_ = 0;  // slots
  // In the upper half that of the hash, which says where a slot belongs, too; row + 1, or 0.
  std::vector<std::uint64_t> slots_;
  // Where tuples compete: rows that have lost. `dead_` changes in advance() only.
  std::vector<std::uint8_t> dead_;
  std::size_t dead_count_ = 0;
  std::vector<std::uint8_t> lost_;
  std::vector<std::uint32_t> lost_since_;
};

}  // namespace grappa::query::datalog
