#pragma once

// What each operator of a query has done: for EXPLAIN ANALYZE.
//
//   Profile profile;
//   Executor executor(team, &profile);
//   executor.collect(relation, columns);
//   use(profile.rows(*relation), profile.seconds(*relation));
//
// A counter stands behind each operator, and knows how long what comes after it has taken; so the
// time of an operator is what its inputs have seen of it, less what it has seen of others. Times
// are sums over the cores of the locale.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/memory_budget.hpp"
#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

class Profile {
  struct Counter;

 public:
  /// Counts what the pipeline of a relation gives from here on.
  void watch(const Relation& relation, Pipeline& pipeline);
  std::int64_t rows(const Relation& relation) const;
  /// Without that of its inputs.
  double seconds(const Relation& relation) const;
  /// Bytes that it has written to temporary files.
  std::int64_t spilled(const Relation& relation) const;
  /// Where they are counted.
  std::shared_ptr<std::atomic<std::int64_t>> spilled_counter(const Relation& relation);
  /// The most bytes of memory that it had at a time.
  std::int64_t memory(const Relation& relation) const;
  /// Its part of the budget, which counts them. What it has goes before the profile does.
  MemoryBudget& memory_counter(const Relation& relation, MemoryBudget& of);
  /// Bytes that this locale has sent to others for it.
  std::int64_t sent(const Relation& relation) const;
  /// Those of all operators (Team::sent_bytes).
  std::atomic<std::int64_t>& sent_counter() { return sent_; }

  /// While it is there, what is sent is the operator's, but for what is another's meanwhile. By the
  /// task that leads the locale, one inside of the other.
  class Sending {
   public:
    Sending(Profile& profile, const Relation& relation);
    Sending(const Sending&) = delete;
    Sending& operator=(const Sending&) = delete;
    ~Sending();

   private:
    Profile& profile_;
    std::shared_ptr<Counter> counter_;
    Sending* outer_;
    std::int64_t before_;
    std::int64_t of_others_ = 0;
  };

 private:
  struct Counter {
    std::atomic<std::int64_t> rows{0};
    std::atomic<std::int64_t> source_ns{0};  // in its source, and all behind that
    std::atomic<std::int64_t> behind_ns{0};  // in what comes behind the operator
    std::atomic<std::int64_t> spilled{0};
    std::optional<MemoryBudget> memory;
    std::int64_t sent = 0;
  };
  class CountStage;
  class CountSource;

  std::shared_ptr<Counter> counter_of(const Relation& relation);
  const Counter* find(const Relation& relation) const;

  std::map<const Relation*, std::shared_ptr<Counter>> counters_;
  std::atomic<std::int64_t> sent_{0};
  Sending* sending_ = nullptr;  // the innermost one
};

}  // namespace grappa::query
