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
  const Word* row(std::size_t i) const { return words_.data() + i * arity_; }
  bool is_live(std::size_t row) const { return dead_.empty() || dead_[row] == 0; }
  std::size_t new_begin() const { return new_begin_; }
  std::size_t live_rows() const { return rows_ - dead_count_; }

  // ---- Since then
  std::size_t added() const { return added_; }
  const Word* added_tuples() const { return fresh_.data(); }

 private:
  std::uint64_t hash_of(const Word* tuple) const;
  bool same_key(const Word* a, const Word* b) const;
  const Word* any_row(std::size_t row) const {
    return row < rows_ ? this->row(row) : fresh_.data() + (row - rows_) * arity_;
  }
  void insert_one(const Word* tuple, std::uint64_t hash);
  void insert_competing(const Word* tuple, std::uint64_t hash);
  std::uint64_t append(const Word* tuple, std::uint64_t hash);
  void make_room(std::size_t count);
  void place(std::uint64_t hash, std::size_t row);
  void remove_dead();

  std::size_t arity_;
  std::vector<std::size_t> key_;
  IsLess is_less_;
  std::vector<Word> words_;
  std::size_t rows_ = 0;
  std::size_t new_begin_ = 0;
  std::vector<Word> fresh_;
  std::size_t added_ = 0;
  std::size_t used_ = 0;              // slots
  std::vector<std::uint64_t> slots_;  // upper half of the hash; row + 1, or 0
  // Where tuples compete: rows that have lost. `dead_` changes in advance() only.
  std::vector<std::uint8_t> dead_;
  std::size_t dead_count_ = 0;
  std::vector<std::uint8_t> lost_;
  std::vector<std::uint32_t> lost_since_;
};

}  // namespace grappa::query::datalog
