#pragma once

// Rows of so many words, in blocks of which each has room for as many as all before it: a row never
// moves, and nothing is copied when more come.
//
//   TupleRows rows(2);
//   std::copy_n(tuple, 2, rows.append());
//   const Word* first = rows[0];
//   rows.for_each_run(5, rows.size(), [](const Word* tuples, std::size_t count) { … });
//
// Some cores may read rows that are there while another one appends.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>

#include "grappa/query/datalog/program.hpp"

namespace grappa::query::datalog {

class TupleRows {
 public:
  explicit TupleRows(std::size_t arity) : arity_(arity) {}

  std::size_t size() const { return size_; }
  const Word* operator[](std::size_t row) const {
    return blocks_[block_of(row)].get() + offset(row);
  }
  Word* operator[](std::size_t row) { return blocks_[block_of(row)].get() + offset(row); }

  Word* append() {
    std::unique_ptr<Word[]>& block = blocks_[block_of(size_)];
    if (!block) block = std::make_unique_for_overwrite<Word[]>(std::max(size_, kFirst) * arity_);
    return (*this)[size_++];
  }
  /// Only the first rows stay.
  void truncate(std::size_t size) { size_ = size; }

  /// take(tuples, count) for those from `begin` to `end`, as many as are side by side at a time.
  template <class Take>
  void for_each_run(std::size_t begin, std::size_t end, const Take& take) const {
    while (begin < end) {
      const std::size_t block_end = std::max(2 * begin_of_block(begin), kFirst);
      const std::size_t count = std::min(end, block_end) - begin;
      take((*this)[begin], count);
      begin += count;
    }
  }

 private:
  static constexpr std::size_t kFirst = 64;   // rows of the first block
  static constexpr std::size_t kBlocks = 28;  // for 2^32 rows and more

  static std::size_t block_of(std::size_t row) {
    return static_cast<std::size_t>(std::bit_width(row / kFirst));
  }
  static std::size_t begin_of_block(std::size_t row) {
    return std::bit_floor(row / kFirst) * kFirst;
  }
  std::size_t offset(std::size_t row) const { return (row - begin_of_block(row)) * arity_; }

  std::size_t arity_;
  std::size_t size_ = 0;
  std::array<std::unique_ptr<Word[]>, kBlocks> blocks_;
};

}  // namespace grappa::query::datalog
