#pragma once

// The baseline `mpi-rma` of bench delegate: one-sided operations of MPI on single words, by one
// thread of each process. Called by the main task; throws Error when values are wrong.

#include <cstdint>

namespace grappa::bench {

enum class RemoteOperation { kGet, kPut, kFetchAdd, kAccumulate };

/// A window of MPI with `words_each` words in every process.
class RemoteWords {
 public:
  /// Word i of them all begins as factor * i.
  RemoteWords(std::int64_t words_each, std::int64_t factor);
  ~RemoteWords();
  RemoteWords(const RemoteWords&) = delete;
  RemoteWords& operator=(const RemoteWords&) = delete;

  /// Seconds of `rounds` operations, one after the other, of process 0 on a word of the last one.
  /// What is put or added is 1.
  double one_by_one(RemoteOperation operation, std::int64_t rounds) const;

  /// Seconds in which every process does `each` operations on random words, with `outstanding` of
  /// them under way; `next`: on words of the next process only.
  double many(RemoteOperation operation, std::int64_t each, int outstanding, bool next) const;

  /// The sum of all words.
  std::int64_t sum() const;
  void set_all(std::int64_t value) const;

 private:
  std::int64_t words_each_;
  std::int64_t factor_;
};

}  // namespace grappa::bench
