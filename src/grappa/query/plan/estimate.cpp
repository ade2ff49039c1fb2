#include "grappa/query/plan/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "grappa/query/expression/comparison.hpp"
#include "grappa/query/expression/function.hpp"

namespace grappa::query {
namespace {

// Where nothing is known: the guesses of P. Selinger et al., SIGMOD 1979.
constexpr double kRangeGuess = 1.0 / 3;
constexpr double kEqualGuess = 0.1;
constexpr double kPatternGuess = 0.1;

double distinct_of(const Expression& expression, const Estimate& input) {
  if (expression.is_column()) return std::max(1.0, input.distinct_of(expression.column));
  if (expression.is_constant()) return 1;
  // A function of one column has as many values as that at most.
  const std::set<ColumnId> columns = columns_of(expression);
  double all = 1;
  for (const ColumnId column : columns) all *= std::max(1.0, input.distinct_of(column));
  return std::min(all, std::max(1.0, input.rows));
}

/// The part of a range that a comparison with a constant lets through.
double of_range(std::string_view name, const Range& range, Int128 value) {
  const auto width = static_cast<double>(range.greatest - range.least) + 1;
  const auto below = static_cast<double>(value - range.least);
  double part = kRangeGuess;
  if (name == "<") part = below / width;
  if (name == "<=") part = (below + 1) / width;
  if (name == ">") part = 1 - (below + 1) / width;
  if (name == ">=") part = 1 - below / width;
  return std::clamp(part, 0.0, 1.0);
}

double of_comparison(const Expression& condition, const Estimate& input) {
  std::string_view name = condition.function->name;
  const Expression* left = condition.arguments[0].get();
  const Expression* right = condition.arguments[1].get();
  if (left->is_constant()) {
    std::swap(left, right);
    name = turned_comparison(name);
  }
  const double distinct = std::max(distinct_of(*left, input), distinct_of(*right, input));
  if (name == "=" || name == "is not distinct from") {
    if (right->is_constant() && left->range && !right->value.is_null() &&
        right->type.is_counted() && !left->range->contains(right->value.integer()))
      return 0;
    return 1 / distinct;
  }
  if (name == "<>" || name == "is distinct from") return 1 - 1 / distinct;
  if (right->is_constant() && left->range && !right->value.is_null() && right->type.is_counted())
    return of_range(name, *left->range, right->value.integer());
  return kRangeGuess;
}

/// Two bounds of one column enclose a range: they are not independent.
double of_conjunction(const Expressions& terms, const Estimate& input) {
  struct Bounds {
    double below = 1;
    double above = 1;
  };
  std::map<ColumnId, Bounds> bounds;
  double all = 1;
  for (const ExpressionPtr& term : terms) {
    const double one = Estimates::selectivity(*term, input);
    const bool is_bound = term->kind == ExpressionKind::kCall && term->arguments.size() == 2 &&
                          term->arguments[0]->is_column() && term->arguments[1]->is_constant();
    const std::string_view name = is_bound ? term->function->name : std::string_view();
    if (name == "<" || name == "<=") {
      bounds[term->arguments[0]->column].below *= one;
    } else if (name == ">" || name == ">=") {
      bounds[term->arguments[0]->column].above *= one;
    } else {
      all *= one;
    }
  }
  for (const auto& [column, of] : bounds) {
    const double both =
        of.below < 1 && of.above < 1 ? of.below + of.above - 1 : of.below * of.above;
    all *= std::clamp(both, 1e-6, 1.0);
  }
  return all;
}

/// Of which a condition over two relations lets some through.
Estimate pairs_of(const Estimate& left, const Estimate& right) {
  Estimate both;
  both.rows = std::max(left.rows, right.rows);
  for (const Estimate* side : {&left, &right}) both.add_columns(*side);
  return both;
}

}  // namespace

double Estimate::distinct_of(ColumnId column) const {
  const auto found = distinct.find(column);
  double least = found == distinct.end() ? rows : std::min(found->second, rows);
  for (const auto& sample : samples) {
    const std::optional<double> of_sample = sample->distinct(column);
    if (of_sample) least = std::min(least, *of_sample);
  }
  return least;
}

void Estimate::add_columns(const Estimate& other) {
  for (const auto& [column, of_other] : other.distinct)
    distinct[column] = std::min(of_other, other.rows);
  samples.insert(samples.end(), other.samples.begin(), other.samples.end());
}

double Estimates::selectivity(const Expression& condition, const Estimate& input) {
  switch (condition.kind) {
    case ExpressionKind::kConstant:
      return condition.value.is_true() ? 1 : 0;
    case ExpressionKind::kAnd:
      return of_conjunction(condition.arguments, input);
    case ExpressionKind::kOr: {
      double none = 1;
      for (const ExpressionPtr& term : condition.arguments) none *= 1 - selectivity(*term, input);
      return 1 - none;
    }
    case ExpressionKind::kNot:
      return 1 - selectivity(*condition.arguments[0], input);
    case ExpressionKind::kIsNull:
      return condition.arguments[0]->nullable ? kEqualGuess : 0;
    case ExpressionKind::kIn: {
      const double distinct = distinct_of(*condition.arguments[0], input);
      return std::min(1.0, static_cast<double>(condition.arguments.size() - 1) / distinct);
    }
    case ExpressionKind::kCall:
      if (is_comparison(condition.function->name) && condition.arguments.size() == 2)
        return of_comparison(condition, input);
      return kPatternGuess;
    default:
      return kRangeGuess;
  }
}

double Estimates::join_selectivity(const Expression& condition, const Estimate& left,
                                   const Estimate& right) {
  return selectivity(condition, pairs_of(left, right));
}

const Estimate& Estimates::of(const RelationPtr& relation) {
  const auto found = known_.find(relation);
  if (found != known_.end()) return found->second;
  Estimate made = make(*relation);
  made.rows = std::max(made.rows, 1.0);
  return known_.emplace(relation, std::move(made)).first->second;
}

std::shared_ptr<const SampledRows> Estimates::sample_of(const RelationPtr& relation) {
  if (relation->kind == RelationKind::kScan) return sampled_rows(*relation, nullptr);
  if (relation->kind != RelationKind::kFilter || relation->inputs[0]->kind != RelationKind::kScan)
    return nullptr;
  const auto& samples = of(relation).samples;
  return samples.empty() ? nullptr : samples.back();
}

double Estimates::rows_with_partner(const Relation& join, double right_rows) {
  const Estimate& left = of(join.inputs[0]);
  const Estimate pairs = pairs_of(left, of(join.inputs[1]));
  double part = 1;
  for (const ExpressionPtr& term : conjuncts(join.condition))
    part = std::min(part, selectivity(*term, pairs));
  return left.rows * std::min(1.0, right_rows * part);
}

Estimate Estimates::of_join(const Relation& relation) {
  const Estimate& left = of(relation.inputs[0]);
  const Estimate& right = of(relation.inputs[1]);
  const double pairs = left.rows * right.rows * join_selectivity(*relation.condition, left, right);
  Estimate made;
  made.add_columns(left);
  const double met = std::min(1.0, pairs / left.rows);
  switch (relation.join) {
    case JoinKind::kSemi:
      made.rows = left.rows * std::min(met, 0.9);
      return made;
    case JoinKind::kAnti:
      made.rows = left.rows * std::max(1 - met, 0.1);
      return made;
    case JoinKind::kMark:
    case JoinKind::kSingle:
      made.rows = left.rows;
      break;
    case JoinKind::kLeft:
      made.rows = std::max(pairs, left.rows);
      break;
    case JoinKind::kFull:
      made.rows = std::max({pairs, left.rows, right.rows});
      break;
    default:
      made.rows = relation.expected_rows > 0 ? relation.expected_rows : pairs;
      break;
  }
  made.add_columns(right);
  return made;
}

Estimate Estimates::of_filter(const Relation& relation) {
  const Relation& below = *relation.inputs[0];
  Estimate made = of(relation.inputs[0]);
  const double guessed = made.rows * selectivity(*relation.condition, made);
  const auto sampled =
      below.kind == RelationKind::kScan ? sampled_rows(below, relation.condition) : nullptr;
  if (!sampled) {
    made.rows = guessed;
  } else if (sampled->has_none()) {
    made.rows = std::min(guessed, sampled->rows());
  } else {
    made.rows = sampled->rows();
    made.samples.push_back(sampled);
  }
  return made;
}

Estimate Estimates::make(const Relation& relation) {
  Estimate made;
  const auto input = [&]() -> const Estimate& { return of(relation.inputs[0]); };
  switch (relation.kind) {
    case RelationKind::kScan:
      made.rows = static_cast<double>(relation.table->rows);
      for (std::size_t i = 0; i < relation.columns.size(); ++i) {
        const double distinct = relation.table->columns[relation.table_columns[i]].facts.distinct;
        if (distinct > 0) made.distinct[relation.columns[i]->column] = distinct;
      }
      return made;
    case RelationKind::kValues:
      made.rows = static_cast<double>(relation.rows.size());
      return made;
    case RelationKind::kFilter:
      return of_filter(relation);
    case RelationKind::kProject:
      made.rows = input().rows;
      for (const Computed& one : relation.computed)
        made.distinct[one.column->column] = distinct_of(*one.value, input());
      return made;
    case RelationKind::kJoin:
      return of_join(relation);
    case RelationKind::kAggregate: {
      double groups = 1;
      for (const Computed& group : relation.computed) {
        const double distinct = distinct_of(*group.value, input());
        made.distinct[group.column->column] = distinct;
        groups *= distinct;
      }
      made.rows = std::min(groups, input().rows);
      return made;
    }
    case RelationKind::kWindow:
    case RelationKind::kSort:
      return input();
    case RelationKind::kLimit:
      made = input();
      made.rows = std::min(made.rows, static_cast<double>(relation.limit));
      return made;
    case RelationKind::kUnion:
      made.rows = 0;
      for (const RelationPtr& of_input : relation.inputs) made.rows += of(of_input).rows;
      return made;
    case RelationKind::kIntersect:
    case RelationKind::kExcept:
      made.rows = input().rows / 2;
      return made;
    case RelationKind::kShared:
      return input();
    case RelationKind::kFixpoint:
      made.rows = input().rows * 10;
      return made;
    case RelationKind::kRecurring:
      made.rows = 1000;
      return made;
  }
  __builtin_unreachable();
}

namespace {

class MostRows {
 public:
  static constexpr double kMost = 0x1p40;

  /// Each relation is looked at once, however often it is shared.
  double of(const Relation& relation) {
    const auto found = known_.find(&relation);
    if (found != known_.end()) return found->second;
    const double most = std::min(make(relation), kMost);
    known_[&relation] = most;
    return most;
  }

 private:
  double make(const Relation& relation) {
    const auto input = [&](std::size_t i) { return of(*relation.inputs[i]); };
    switch (relation.kind) {
      case RelationKind::kScan:
        return static_cast<double>(relation.table->rows);
      case RelationKind::kValues:
        return static_cast<double>(relation.rows.size());
      case RelationKind::kLimit:
        return std::min(input(0), static_cast<double>(relation.limit));
      case RelationKind::kAggregate:  // there may be a group of no rows
        return std::max(input(0), 1.0);
      case RelationKind::kJoin:
        return of_join(relation.join, input(0), input(1));
      case RelationKind::kUnion: {
        double all = 0;
        for (std::size_t i = 0; i < relation.inputs.size(); ++i) all += input(i);
        return all;
      }
      case RelationKind::kFixpoint:
      case RelationKind::kRecurring:
        return kMost;
      default:
        return input(0);
    }
  }

  static double of_join(JoinKind kind, double left, double right) {
    switch (kind) {
      case JoinKind::kSemi:
      case JoinKind::kAnti:
      case JoinKind::kMark:
      case JoinKind::kSingle:
        return left;
      case JoinKind::kRightSemi:
      case JoinKind::kRightAnti:
        return right;
      default:
        return left * right + left + right;
    }
  }

  std::map<const Relation*, double> known_;
};

}  // namespace

std::int64_t most_rows(const Relation& relation) {
  return static_cast<std::int64_t>(MostRows().of(relation));
}

}  // namespace grappa::query
