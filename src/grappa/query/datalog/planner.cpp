#include "grappa/query/datalog/planner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "grappa/query/datalog/rule_checker.hpp"

namespace grappa::query::datalog {
namespace {

class Planner {
 public:
  Planner(const Rule& rule, const PlanningPlaces& places)
      : rule_(rule), places_(places), bound_(rule.variables.size()) {
    plan_.registers = rule.variables.size();
  }

  RulePlan run(std::optional<std::size_t> driver) {
    std::vector<const Literal*> left = pointers(rule_.body);
    plan_.takes_new = driver.has_value();
    if (!driver) driver = largest(rule_.body);
    if (driver) {
      const Literal& of = rule_.body[*driver];
      plan_.has_driver = true;
      plan_.driver = of.relation;
      for (std::size_t i = 0; i < of.arguments.size(); ++i)
        add_column(of.arguments[i], i, plan_.columns);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(*driver));
    }
    std::vector<Operand> tuple;
    std::vector<StepPtr> steps = chain(std::move(left), false, rule_.arguments);
    for (const Term& of : rule_.arguments) tuple.push_back(compile(of, places_.symbols));
    steps.push_back(emit_step(rule_.head, std::move(tuple)));
    plan_.first = link(std::move(steps));
    return std::move(plan_);
  }

 private:
  static std::vector<const Literal*> pointers(const std::vector<Literal>& body) {
    std::vector<const Literal*> all;
    for (const Literal& of : body) all.push_back(&of);
    return all;
  }

  /// So that the smaller ones are looked up.
  std::optional<std::size_t> largest(const std::vector<Literal>& body) const {
    std::optional<std::size_t> best;
    double most = -1;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i].kind != LiteralKind::kAtom) continue;
      const double rows = matches(body[i]);
      if (rows <= most) continue;
      most = rows;
      best = i;
    }
    return best;
  }

  const Step* link(std::vector<StepPtr> steps) {
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) steps[i]->set_next(steps[i + 1].get());
    const Step* const first = steps[0].get();
    for (StepPtr& of : steps) plan_.steps.push_back(std::move(of));
    return first;
  }

  bool is_known(const Term& term) const {
    return term.term != TermKind::kIgnored && is_bound(term, bound_);
  }
  bool is_known(int variable) const { return bound_[static_cast<std::size_t>(variable)]; }
  void bind(int variable) { bound_[static_cast<std::size_t>(variable)] = true; }

  /// How many tuples are expected for what is known.
  double matches(const Literal& atom) const {
    constexpr double kLarge = 1e6;
    auto rows = static_cast<double>(places_.stores[atom.relation]->rows());
    if (places_.is_growing[atom.relation]) rows = std::max(rows, kLarge);
    const auto unknown = static_cast<double>(
        std::ranges::count_if(atom.arguments, [&](const Term& of) { return !is_known(of); }));
    if (unknown == 0) return 0;
    return std::pow(rows + 1, unknown / static_cast<double>(atom.arguments.size()));
  }

  /// The steps of a conjunction, in an order in which each finds what it needs. `counts`: each
  /// match counts; `used`: what comes after them.
  std::vector<StepPtr> chain(std::vector<const Literal*> left, bool counts,
                             const std::vector<Term>& used) {
    std::vector<StepPtr> steps;
    while (!left.empty()) {
      auto next = std::ranges::find_if(left, [&](const Literal* of) { return is_ready(*of); });
      if (next == left.end())
        next = std::ranges::min_element(left, {}, [&](const Literal* of) {
          return of->kind == LiteralKind::kAtom ? matches(*of) : HUGE_VAL;
        });
      const Literal& of = **next;
      left.erase(next);
      if (of.kind == LiteralKind::kAtom)
        steps.push_back(atom(of, left, counts, used));
      else
        add_ready(of, steps);
    }
    return steps;
  }

  bool is_ready(const Literal& of) const {
    const auto known = [&](const Term& term) {
      return term.term == TermKind::kIgnored || is_known(term);
    };
    switch (of.kind) {
      case LiteralKind::kAtom:
        return false;
      case LiteralKind::kAggregate:
        return std::ranges::all_of(of.aggregate->outer, [&](int each) { return is_known(each); });
      case LiteralKind::kComparison:
        if (of.comparison == Comparison::kEqual)
          for (std::size_t i = 0; i < 2; ++i)
            if (of.arguments[i].term == TermKind::kVariable && is_known(of.arguments[1 - i]))
              return true;
        return std::ranges::all_of(of.arguments, known);
      case LiteralKind::kAbsent:
      case LiteralKind::kTest:
        return std::ranges::all_of(of.arguments, known);
    }
    __builtin_unreachable();
  }

  void add_ready(const Literal& of, std::vector<StepPtr>& steps) {
    if (of.kind == LiteralKind::kAggregate) return add_aggregate(of, steps);
    if (of.kind == LiteralKind::kAbsent) {
      auto [index, key] = keyed(of);
      steps.push_back(exists_step(*index, std::move(key), {}, true));
      return;
    }
    Operand left = compile(of.arguments[0], places_.symbols);
    Operand right = compile(of.arguments[1], places_.symbols);
    if (of.kind == LiteralKind::kTest) {
      steps.push_back(test_step(of, std::move(left), std::move(right)));
      return;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const Term& place = of.arguments[i];
      if (of.comparison != Comparison::kEqual || place.term != TermKind::kVariable ||
          is_known(place))
        continue;
      steps.push_back(assign_step(place.variable, std::move(i == 0 ? right : left)));
      bind(place.variable);
      return;
    }
    steps.push_back(
        comparison_step(of.comparison, of.arguments[0].kind, std::move(left), std::move(right)));
  }

  void add_aggregate(const Literal& of, std::vector<StepPtr>& steps) {
    const Aggregate& aggregate = *of.aggregate;
    const Kind kind =
        rule_.variables[static_cast<std::size_t>(of.result)].kind.value_or(Kind::kNumber);
    const auto count = static_cast<int>(plan_.registers++);
    // The result may have to be equal to what is there.
    const bool is_checked = is_known(of.result);
    const int result = is_checked ? static_cast<int>(plan_.registers++) : of.result;
    std::vector<StepPtr> inner = chain(pointers(aggregate.body), true, {aggregate.target});
    Operand target;
    if (aggregate.target.term != TermKind::kIgnored)
      target = compile(aggregate.target, places_.symbols);
    inner.push_back(accumulate_step(aggregate.function, kind, result, count, std::move(target)));
    steps.push_back(
        aggregate_step(aggregate.function, kind, result, count, link(std::move(inner))));
    bind(of.result);
    if (is_checked)
      steps.push_back(
          comparison_step(Comparison::kEqual, kind, {.variable = result}, {.variable = of.result}));
  }

  struct Keyed {
    const TupleIndex* index;
    std::vector<Operand> key;
  };
  Keyed keyed(const Literal& atom) {
    std::vector<std::size_t> columns;
    std::vector<Operand> key;
    for (std::size_t i = 0; i < atom.arguments.size(); ++i) {
      if (!is_known(atom.arguments[i])) continue;
      columns.push_back(i);
      key.push_back(compile(atom.arguments[i], places_.symbols));
    }
    return {&places_.stores[atom.relation]->index(columns, places_.for_each), std::move(key)};
  }

  StepPtr atom(const Literal& of, const std::vector<const Literal*>& left, bool counts,
               const std::vector<Term>& used) {
    auto [index, key] = keyed(of);
    const std::vector<bool> before = bound_;
    std::vector<Column> rest;
    for (std::size_t i = index->key().size(); i < index->order().size(); ++i)
      add_column(of.arguments[index->order()[i]], i - index->key().size(), rest);
    if (!counts && !binds_what_is_used(before, left, used))
      return exists_step(*index, std::move(key), std::move(rest), false);
    return lookup_step(*index, std::move(key), std::move(rest));
  }

  void add_column(const Term& term, std::size_t column, std::vector<Column>& columns) {
    if (term.term == TermKind::kIgnored) return;
    const bool binds = term.term == TermKind::kVariable && !is_known(term);
    columns.push_back({column, binds ? Column::Action::kBind : Column::Action::kCompare,
                       compile(term, places_.symbols)});
    if (binds) bind(term.variable);
  }

  bool binds_what_is_used(const std::vector<bool>& before, const std::vector<const Literal*>& left,
                          const std::vector<Term>& used) const {
    const auto is_new = [&](int variable) {
      const auto i = static_cast<std::size_t>(variable);
      return bound_[i] && !before[i];
    };
    const auto has_new = [&](const auto& self, const Term& term) -> bool {
      if (term.term == TermKind::kVariable) return is_new(term.variable);
      return std::ranges::any_of(term.arguments, [&](const Term& of) { return self(self, of); });
    };
    const auto any_new = [&](const std::vector<Term>& terms) {
      return std::ranges::any_of(terms, [&](const Term& of) { return has_new(has_new, of); });
    };
    return any_new(used) || std::ranges::any_of(left, [&](const Literal* of) {
             return any_new(of->arguments) ||
                    (of->aggregate &&
                     (std::ranges::any_of(of->aggregate->outer, is_new) || is_new(of->result)));
           });
  }

  const Rule& rule_;
  const PlanningPlaces& places_;
  std::vector<bool> bound_;
  RulePlan plan_;
};

}  // namespace

RulePlan plan_rule(const Rule& rule, std::optional<std::size_t> driver,
                   const PlanningPlaces& places) {
  return Planner(rule, places).run(driver);
}

}  // namespace grappa::query::datalog
