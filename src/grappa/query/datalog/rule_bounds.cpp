// Whether each variable of a rule gets a value.

#include <fmt/format.h>

#include <algorithm>

#include "grappa/query/datalog/rule_checker.hpp"

namespace grappa::query::datalog {

bool is_bound(const Term& term, const std::vector<bool>& bound) {
  if (term.term == TermKind::kVariable) return bound[static_cast<std::size_t>(term.variable)];
  return std::ranges::all_of(term.arguments, [&](const Term& of) { return is_bound(of, bound); });
}

void RuleChecker::require_bound(int variable, const std::vector<bool>& bound) const {
  if (bound[static_cast<std::size_t>(variable)]) return;
  const Variable& of = variables_[static_cast<std::size_t>(variable)];
  fail(of.position, of.name.empty()
                        ? "the value of this cannot be found: its variables are not grounded"
                        : fmt::format("{} is not grounded: no atom gives it a value", of.name));
}

void RuleChecker::require_bound(const Term& term, const std::vector<bool>& bound) const {
  if (term.term == TermKind::kVariable) require_bound(term.variable, bound);
  for (const Term& of : term.arguments) require_bound(of, bound);
}

void RuleChecker::require_bound(const std::vector<Literal>& body, std::vector<bool>& bound) const {
  const auto bind = [&](int variable) {
    const bool is_new = !bound[static_cast<std::size_t>(variable)];
    bound[static_cast<std::size_t>(variable)] = true;
    return is_new;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Literal& of : body) {
      if (of.kind == LiteralKind::kAtom) {
        for (const Term& each : of.arguments)
          if (each.term == TermKind::kVariable) changed |= bind(each.variable);
      } else if (of.kind == LiteralKind::kComparison && of.comparison == Comparison::kEqual) {
        for (std::size_t i = 0; i < 2; ++i)
          if (of.arguments[i].term == TermKind::kVariable && is_bound(of.arguments[1 - i], bound))
            changed |= bind(of.arguments[i].variable);
      } else if (of.kind == LiteralKind::kAggregate &&
                 std::ranges::all_of(of.aggregate->outer, [&](int variable) {
                   return bound[static_cast<std::size_t>(variable)];
                 })) {
        changed |= bind(of.result);
      }
    }
  }
  for (const Literal& of : body) {
    for (const Term& each : of.arguments) require_bound(each, bound);
    if (of.kind != LiteralKind::kAggregate) continue;
    for (const int variable : of.aggregate->outer) require_bound(variable, bound);
    std::vector<bool> inside = bound;
    require_bound(of.aggregate->body, inside);
    require_bound(of.aggregate->target, inside);
  }
}

}  // namespace grappa::query::datalog
