#pragma once

// A rule as it is evaluated: for each row of a relation, its driver, steps that each go on to the
// next one, as often as what they look up has matches; the last one emits a tuple.
//
//   plan.run(set, begin, end, registers, context);
//
// Registers hold the values of the rule's variables. Plans do not change: all cores may run one at
// the same time, with registers and contexts of their own.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grappa/query/datalog/context.hpp"
#include "grappa/query/datalog/program.hpp"
#include "grappa/query/datalog/tuple_index.hpp"
#include "grappa/query/datalog/tuple_set.hpp"
#include "grappa/query/datalog/values.hpp"

namespace grappa::query::datalog {

class Step {
 public:
  virtual ~Step() = default;
  virtual void run(Word* registers, Context& context) const = 0;
  /// Fetches what run() will look at first.
  virtual void prefetch(const Word*, Context&) const {}
  void set_next(const Step* next) { next_ = next; }

 protected:
  const Step* next_ = nullptr;
};

using StepPtr = std::unique_ptr<Step>;

/// What happens to a column of a row.
struct Column {
  enum class Action : std::uint8_t { kBind, kCompare };
  std::size_t column;
  Action action;
  Operand operand;  // the variable to bind, or what it has to be equal to
};

StepPtr lookup_step(const TupleIndex& index, std::vector<Operand> key, std::vector<Column> rest);
/// Goes on once if there is a match, or none.
StepPtr exists_step(const TupleIndex& index, std::vector<Operand> key, std::vector<Column> rest,
                    bool is_negated);
StepPtr comparison_step(Comparison comparison, Kind kind, Operand left, Operand right);
StepPtr test_step(const Literal& literal, Operand pattern, Operand text);
StepPtr assign_step(int variable, Operand value);
/// Runs the steps from `first`, which end with accumulate_step of the same registers.
StepPtr aggregate_step(AggregateFunction function, Kind kind, int result, int count,
                       const Step* first);
StepPtr accumulate_step(AggregateFunction function, Kind kind, int result, int count,
                        Operand target);
StepPtr emit_step(std::size_t relation, std::vector<Operand> tuple);

struct RulePlan {
  std::size_t driver = 0;  // a relation
  bool has_driver = false;
  bool takes_new = false;  // rows of the driver, not all
  std::vector<Column> columns{};
  std::vector<StepPtr> steps{};
  const Step* first = nullptr;
  std::size_t registers = 0;

  /// Of these rows of the driver.
  void run(const TupleSet& set, std::size_t begin, std::size_t end, Word* values,
           Context& context) const;
};

}  // namespace grappa::query::datalog
