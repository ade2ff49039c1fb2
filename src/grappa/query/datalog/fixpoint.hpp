#pragma once

// Semi-naive evaluation: stratum by stratum, and in each in rounds, in which rules are driven by
// the tuples that were new in the round before, until there are none.
//
//   Fixpoint fixpoint(program, text, team);
//   fixpoint.insert(core, relation, tuple);          // what is known before, by each core
//   fixpoint.end_inserting();
//   fixpoint.run();
//   const Store& edges = fixpoint.store(relation);   // all tuples, on every locale
//
// Every locale has all tuples, so that rules find what they look up where they are; it drives them
// by those that it owns (store.hpp). What rules give goes to its owner, and what turns out to be
// new there, to all.
//
// For the leaders of all locales, at the same time (team.hpp), but for insert(). Errors:
// SyntaxError for operands that have no result (values.hpp), FailedElsewhere.
//
// Reference: F. Bancilhon, "Naive evaluation of recursively defined relations", in On Knowledge
// Base Management Systems, Springer 1986.

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "grappa/query/datalog/context.hpp"
#include "grappa/query/datalog/planner.hpp"
#include "grappa/query/datalog/program.hpp"
#include "grappa/query/datalog/router.hpp"
#include "grappa/query/datalog/store.hpp"
#include "grappa/query/datalog/stratify.hpp"
#include "grappa/query/exec/team.hpp"

namespace grappa::query::datalog {

class Fixpoint {
 public:
  Fixpoint(const Program& program, std::string_view text, const Team& team);
  ~Fixpoint();

  void insert(int core, std::size_t relation, const Word* tuple);
  void end_inserting();
  void run();

  const Store& store(std::size_t relation) const { return *stores_[relation]; }
  Symbols& symbols() { return symbols_; }

 private:
  class Core;
  /// Rows of a driver, for one core.
  struct Job {
    const RulePlan* plan;
    std::size_t shard;
    std::size_t begin;
    std::size_t end;
  };

  void run(const Stratum& stratum);
  void prepare(const std::vector<RulePlan>& plans);
  void evaluate(const std::vector<RulePlan>& plans);
  void run_jobs(Core& core);
  void end_round(const Stratum& stratum);
  void exchange();
  void send_new(const Stratum& stratum);
  void meet();
  void receive(std::span<const std::byte> bytes);
  void merge_symbols();
  ForEach for_each(std::size_t rows) const;

  const Program& program_;
  std::string_view text_;
  const Team& team_;
  Sharding sharding_;
  Symbols symbols_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<Job> jobs_;
  std::size_t job_rows_ = 0;
  std::atomic<std::size_t> next_job_ = 0;
};

}  // namespace grappa::query::datalog
