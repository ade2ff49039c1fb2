#include "grappa/query/datalog/steps.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace grappa::query::datalog {
namespace {

constexpr std::size_t kMostColumns = 64;

/// Whether the row fits; binds variables.
bool take_row(const std::vector<Column>& columns, const Word* row, Word* registers,
              Context& context) {
  for (const Column& of : columns) {
    if (of.action == Column::Action::kBind)
      registers[of.operand.variable] = row[of.column];
    else if (row[of.column] != of.operand.of(registers, context))
      return false;
  }
  return true;
}

class KeyedStep : public Step {
 public:
  KeyedStep(const TupleIndex& index, std::vector<Operand> key, std::vector<Column> rest)
      : index_(index), key_(std::move(key)), rest_(std::move(rest)) {}

  void prefetch(const Word* registers, Context& context) const override {
    // What is computed from what is not there yet.
    if (std::ranges::any_of(key_, [](const Operand& of) { return of.value != nullptr; })) return;
    std::array<Word, kMostColumns> key;
    index_.prefetch(fill(key, registers, context));
  }

 protected:
  const Word* fill(std::array<Word, kMostColumns>& key, const Word* registers,
                   Context& context) const {
    for (std::size_t i = 0; i < key_.size(); ++i) key[i] = key_[i].of(registers, context);
    return key.data();
  }
  Matches find(const Word* registers, Context& context) const {
    std::array<Word, kMostColumns> key;
    return index_.find(fill(key, registers, context));
  }

  const TupleIndex& index_;
  std::vector<Operand> key_;
  std::vector<Column> rest_;
};

class Lookup final : public KeyedStep {
 public:
  Lookup(const TupleIndex& index, std::vector<Operand> key, std::vector<Column> rest,
         std::size_t words)
      : KeyedStep(index, std::move(key), std::move(rest)), words_(words) {}

  void run(Word* registers, Context& context) const override {
    const Matches matches = find(registers, context);
    const Word* row = matches.first;
    for (std::size_t i = 0; i < matches.count; ++i, row += words_)
      if (take_row(rest_, row, registers, context)) next_->run(registers, context);
  }

 private:
  std::size_t words_;  // of what is not the key
};

class Exists final : public KeyedStep {
 public:
  Exists(const TupleIndex& index, std::vector<Operand> key, std::vector<Column> rest,
         std::size_t words, bool is_negated)
      : KeyedStep(index, std::move(key), std::move(rest)), words_(words), is_negated_(is_negated) {}

  void run(Word* registers, Context& context) const override {
    const Matches matches = find(registers, context);
    const Word* row = matches.first;
    bool found = false;
    for (std::size_t i = 0; i < matches.count && !found; ++i, row += words_)
      found = take_row(rest_, row, registers, context);
    if (found != is_negated_) next_->run(registers, context);
  }

 private:
  std::size_t words_;
  bool is_negated_;
};

class Compare final : public Step {
 public:
  Compare(Comparison comparison, Kind kind, Operand left, Operand right)
      : comparison_(comparison), kind_(kind), left_(std::move(left)), right_(std::move(right)) {}

  void run(Word* registers, Context& context) const override {
    if (holds(comparison_, kind_, left_.of(registers, context), right_.of(registers, context),
              context))
      next_->run(registers, context);
  }

 private:
  Comparison comparison_;
  Kind kind_;
  Operand left_;
  Operand right_;
};

class TestText final : public Step {
 public:
  TestText(const Literal& literal, Operand pattern, Operand text)
      : test_(literal.test),
        is_negated_(literal.is_negated),
        position_(literal.position),
        pattern_(std::move(pattern)),
        text_(std::move(text)) {}

  void run(Word* registers, Context& context) const override {
    const Word pattern = pattern_.of(registers, context);
    if (holds(test_, pattern, text_.of(registers, context), position_, context) != is_negated_)
      next_->run(registers, context);
  }

 private:
  Test test_;
  bool is_negated_;
  Position position_;
  Operand pattern_;
  Operand text_;
};

class Assign final : public Step {
 public:
  Assign(int variable, Operand value) : variable_(variable), value_(std::move(value)) {}

  void run(Word* registers, Context& context) const override {
    registers[variable_] = value_.of(registers, context);
    next_->run(registers, context);
  }

 private:
  int variable_;
  Operand value_;
};

class RunAggregate final : public Step {
 public:
  RunAggregate(AggregateFunction function, Kind kind, int result, int count, const Step* first)
      : function_(function), kind_(kind), result_(result), count_(count), first_(first) {}

  void run(Word* registers, Context& context) const override {
    registers[result_] = 0;
    registers[count_] = 0;
    first_->run(registers, context);
    const Word count = registers[count_];
    switch (function_) {
      case AggregateFunction::kCount:
        registers[result_] = count;
        break;
      case AggregateFunction::kSum:
        break;
      case AggregateFunction::kMin:
      case AggregateFunction::kMax:
        // Of nothing there is none.
        if (count == 0) return;
        break;
      case AggregateFunction::kMean:
        if (count == 0) return;
        registers[result_] = std::bit_cast<Word>(std::bit_cast<double>(registers[result_]) /
                                                 static_cast<double>(count));
        break;
    }
    if (kind_ == Kind::kFloat && std::bit_cast<double>(registers[result_]) == 0)
      registers[result_] = 0;
    next_->run(registers, context);
  }

 private:
  AggregateFunction function_;
  Kind kind_;
  int result_;
  int count_;
  const Step* first_;
};

class Accumulate final : public Step {
 public:
  Accumulate(AggregateFunction function, Kind kind, int result, int count, Operand target)
      : function_(function),
        kind_(kind),
        result_(result),
        count_(count),
        target_(std::move(target)) {}

  void run(Word* registers, Context& context) const override {
    const Word before = registers[count_]++;
    if (function_ == AggregateFunction::kCount) return;
    const Word value = target_.of(registers, context);
    Word& result = registers[result_];
    if (function_ == AggregateFunction::kSum || function_ == AggregateFunction::kMean) {
      if (kind_ == Kind::kFloat)
        result = std::bit_cast<Word>(std::bit_cast<double>(result) + std::bit_cast<double>(value));
      else
        result += value;
      return;
    }
    const Comparison better =
        function_ == AggregateFunction::kMin ? Comparison::kLess : Comparison::kGreater;
    if (before == 0 || holds(better, kind_, value, result, context)) result = value;
  }

 private:
  AggregateFunction function_;
  Kind kind_;
  int result_;
  int count_;
  Operand target_;
};

class Emit final : public Step {
 public:
  Emit(std::size_t relation, std::vector<Operand> tuple)
      : relation_(relation), tuple_(std::move(tuple)) {}

  void run(Word* registers, Context& context) const override {
    std::array<Word, kMostColumns> tuple;
    for (std::size_t i = 0; i < tuple_.size(); ++i) tuple[i] = tuple_[i].of(registers, context);
    context.emitter->emit(relation_, tuple.data());
  }

 private:
  std::size_t relation_;
  std::vector<Operand> tuple_;
};

std::size_t rest_words(const TupleIndex& index) {
  return index.order().size() - index.key().size();
}

}  // namespace

StepPtr lookup_step(const TupleIndex& index, std::vector<Operand> key, std::vector<Column> rest) {
  return std::make_unique<Lookup>(index, std::move(key), std::move(rest), rest_words(index));
}

StepPtr exists_step(const TupleIndex& index, std::vector<Operand> key, std::vector<Column> rest,
                    bool is_negated) {
  return std::make_unique<Exists>(index, std::move(key), std::move(rest), rest_words(index),
                                  is_negated);
}

StepPtr comparison_step(Comparison comparison, Kind kind, Operand left, Operand right) {
  return std::make_unique<Compare>(comparison, kind, std::move(left), std::move(right));
}

StepPtr test_step(const Literal& literal, Operand pattern, Operand text) {
  return std::make_unique<TestText>(literal, std::move(pattern), std::move(text));
}

StepPtr assign_step(int variable, Operand value) {
  return std::make_unique<Assign>(variable, std::move(value));
}

StepPtr aggregate_step(AggregateFunction function, Kind kind, int result, int count,
                       const Step* first) {
  return std::make_unique<RunAggregate>(function, kind, result, count, first);
}

StepPtr accumulate_step(AggregateFunction function, Kind kind, int result, int count,
                        Operand target) {
  return std::make_unique<Accumulate>(function, kind, result, count, std::move(target));
}

StepPtr emit_step(std::size_t relation, std::vector<Operand> tuple) {
  return std::make_unique<Emit>(relation, std::move(tuple));
}

void RulePlan::run(const TupleSet& set, std::size_t begin, std::size_t end, Word* values,
                   Context& context) const {
  // Of some rows, all that they look up first is on its way before it is needed.
  constexpr std::size_t kTogether = 16;
  const auto takes = [&](std::size_t row) {
    return set.is_live(row) && take_row(columns, set.row(row), values, context);
  };
  for (std::size_t some = begin; some < end; some += kTogether) {
    const std::size_t some_end = std::min(end, some + kTogether);
    for (std::size_t row = some; row < some_end; ++row)
      if (takes(row)) first->prefetch(values, context);
    for (std::size_t row = some; row < some_end; ++row)
      if (takes(row)) first->run(values, context);
  }
}

}  // namespace grappa::query::datalog
