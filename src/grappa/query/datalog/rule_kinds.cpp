// Which kind each term of a rule is of.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grappa/query/datalog/number_literal.hpp"
#include "grappa/query/datalog/rule_checker.hpp"

namespace grappa::query::datalog {
namespace {

std::optional<Kind> fixed_kind(Slot slot) {
  if (slot > Slot::kSymbol) return {};
  return static_cast<Kind>(slot);
}

Slot parameter(const FunctorInfo& functor, std::size_t i) {
  return functor.parameters[std::min(i, functor.parameters.size() - 1)];
}

/// "a number", "an unsigned"
std::string with_article(Kind kind) {
  return fmt::format("{} {}", kind == Kind::kUnsigned ? "an" : "a", name_of(kind));
}

}  // namespace

std::optional<Kind> RuleChecker::kind_of(const Term& term) const {
  switch (term.term) {
    case TermKind::kVariable:
      return variables_[static_cast<std::size_t>(term.variable)].kind;
    case TermKind::kConstant:
      return term.is_adaptable ? std::nullopt : std::optional(term.kind);
    case TermKind::kIgnored:
      return {};
    case TermKind::kCall:
      break;
  }
  if (const auto fixed = fixed_kind(term.functor->result)) return fixed;
  for (const Term& of : term.arguments)
    if (const auto kind = kind_of(of)) return kind;
  return {};
}

bool RuleChecker::want(const Term& term, Kind kind) {
  if (term.term == TermKind::kVariable) {
    std::optional<Kind>& known = variables_[static_cast<std::size_t>(term.variable)].kind;
    if (known) return false;
    known = kind;
    return true;
  }
  if (term.term != TermKind::kCall || fixed_kind(term.functor->result)) return false;
  bool changed = false;
  for (const Term& of : term.arguments) changed |= want(of, kind);
  return changed;
}

bool RuleChecker::want_parameters(const Term& term) {
  bool changed = false;
  for (std::size_t i = 0; i < term.arguments.size(); ++i) {
    if (const auto fixed = fixed_kind(parameter(*term.functor, i)))
      changed |= want(term.arguments[i], *fixed);
    changed |= want_parameters(term.arguments[i]);
  }
  return changed;
}

bool RuleChecker::infer(const Literal& literal) {
  bool changed = false;
  for (std::size_t i = 0; i < literal.arguments.size(); ++i) {
    const Term& of = literal.arguments[i];
    changed |= want_parameters(of);
    if (literal.kind == LiteralKind::kAtom || literal.kind == LiteralKind::kAbsent)
      changed |= want(of, relations_[literal.relation].attributes[i].kind);
    if (literal.kind == LiteralKind::kTest) changed |= want(of, Kind::kSymbol);
    if (literal.kind == LiteralKind::kComparison) {
      if (const auto kind = kind_of(literal.arguments[1 - i])) changed |= want(of, *kind);
    }
  }
  if (literal.kind != LiteralKind::kAggregate) return changed;
  const Aggregate& aggregate = *literal.aggregate;
  for (const Literal& of : aggregate.body) changed |= infer(of);
  changed |= want_parameters(aggregate.target);
  const Term result = variable_term(literal.result, literal.position);
  if (aggregate.function == AggregateFunction::kCount)
    return want(result, Kind::kNumber) || changed;
  if (aggregate.function == AggregateFunction::kMean) return want(result, Kind::kFloat) || changed;
  if (const auto kind = kind_of(aggregate.target)) changed |= want(result, *kind);
  if (const auto kind = kind_of(result)) changed |= want(aggregate.target, *kind);
  return changed;
}

void RuleChecker::settle(Term& term, Kind expected) {
  const auto clash = [&](Kind found) {
    fail(term.position,
         fmt::format("{} was expected, this is {}", with_article(expected), with_article(found)));
  };
  switch (term.term) {
    case TermKind::kIgnored:
      return;
    case TermKind::kVariable: {
      const Variable& variable = variables_[static_cast<std::size_t>(term.variable)];
      term.kind = variable.kind.value_or(Kind::kNumber);
      if (term.kind != expected && !variable.name.empty())
        fail(term.position, fmt::format("{} is {} elsewhere, here it would be {}", variable.name,
                                        with_article(term.kind), with_article(expected)));
      if (term.kind != expected) clash(term.kind);
      return;
    }
    case TermKind::kConstant: {
      if (term.is_adaptable && expected != Kind::kSymbol) term.kind = expected;
      if (term.kind != expected) clash(term.kind);
      if (term.kind == Kind::kSymbol) return;
      const std::optional<Word> value = parse_literal(term.text, term.kind);
      if (!value)
        fail(term.position,
             fmt::format("{} is out of the range of {}", term.text, with_article(term.kind)));
      term.constant = *value;
      return;
    }
    case TermKind::kCall:
      break;
  }
  const Slot result = term.functor->result;
  term.kind = fixed_kind(result).value_or(expected);
  if (term.kind != expected) clash(term.kind);
  if ((result == Slot::kArithmetic && expected == Kind::kSymbol) ||
      (result == Slot::kInteger && (expected == Kind::kSymbol || expected == Kind::kFloat)))
    fail(term.position,
         fmt::format("{} does not give {}", term.functor->name, with_article(expected)));
  for (std::size_t i = 0; i < term.arguments.size(); ++i) {
    Term& of = term.arguments[i];
    const Slot slot = parameter(*term.functor, i);
    if (slot == Slot::kAny)
      settle(of, kind_of(of).value_or(Kind::kNumber));
    else
      settle(of, fixed_kind(slot).value_or(expected));
  }
}

void RuleChecker::settle(Literal& literal) {
  std::vector<Term>& terms = literal.arguments;
  switch (literal.kind) {
    case LiteralKind::kAtom:
    case LiteralKind::kAbsent:
      for (std::size_t i = 0; i < terms.size(); ++i)
        settle(terms[i], relations_[literal.relation].attributes[i].kind);
      return;
    case LiteralKind::kComparison: {
      const auto left = kind_of(terms[0]);
      const Kind kind = left ? *left : kind_of(terms[1]).value_or(Kind::kNumber);
      for (Term& of : terms) settle(of, kind);
      return;
    }
    case LiteralKind::kTest:
      for (Term& of : terms) settle(of, Kind::kSymbol);
      return;
    case LiteralKind::kAggregate: {
      Aggregate made = *literal.aggregate;
      for (Literal& of : made.body) settle(of);
      const Kind kind =
          variables_[static_cast<std::size_t>(literal.result)].kind.value_or(Kind::kNumber);
      if (kind == Kind::kSymbol) fail(literal.position, "an aggregate of symbols is not supported");
      if (made.function == AggregateFunction::kMean) {
        // Of numbers it is a float, too.
        Term number = std::move(made.target);
        made.target = {.term = TermKind::kCall, .position = number.position};
        made.target.functor = find_functor("to_float");
        made.target.arguments.push_back(std::move(number));
      }
      settle(made.target, kind);
      literal.aggregate = std::make_shared<const Aggregate>(std::move(made));
      return;
    }
  }
}

void RuleChecker::settle_all(Rule& rule) {
  const std::vector<Attribute>& attributes = relations_[rule.head].attributes;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Literal& of : rule.body) changed |= infer(of);
    for (std::size_t i = 0; i < rule.arguments.size(); ++i) {
      changed |= want_parameters(rule.arguments[i]);
      changed |= want(rule.arguments[i], attributes[i].kind);
    }
  }
  for (Literal& of : rule.body) settle(of);
  for (std::size_t i = 0; i < rule.arguments.size(); ++i)
    settle(rule.arguments[i], attributes[i].kind);
}

}  // namespace grappa::query::datalog
