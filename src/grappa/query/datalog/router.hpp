#pragma once

// Items on their way to buckets, some at a time, so that a bucket is locked once for many of them.
//
//   Router router(64, 2);                             // buckets; words of an item
//   router.add(bucket, item, [](std::size_t bucket, const Word* items, std::size_t count) { … });
//   router.flush(same);                               // those that are left
//
// For one core.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grappa/query/datalog/program.hpp"

namespace grappa::query::datalog {

class Router {
 public:
  Router(std::size_t buckets, std::size_t words) : buckets_(buckets), words_(words) {}

  template <class Flush>
  void add(std::size_t bucket, const Word* item, Flush&& flush) {
    if (counts_.empty()) {
      counts_.resize(buckets_);
      items_.resize(buckets_ * kMost * words_);
    }
    Word* const first = items_.data() + bucket * kMost * words_;
    std::copy_n(item, words_, first + counts_[bucket] * words_);
    if (++counts_[bucket] < kMost) return;
    counts_[bucket] = 0;
    flush(bucket, first, kMost);
  }

  template <class Flush>
  void flush(Flush&& flush) {
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
      if (counts_[bucket] == 0) continue;
      flush(bucket, items_.data() + bucket * kMost * words_, std::size_t{counts_[bucket]});
      counts_[bucket] = 0;
    }
  }

 private:
  static constexpr std::size_t kMost = 64;  // items that wait for a bucket

  std::size_t buckets_;
  std::size_t words_;
  std::vector<std::uint8_t> counts_;
  std::vector<Word> items_;
};

}  // namespace grappa::query::datalog
