#include "grappa/query/datalog/rule_checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "grappa/base/text_values.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::datalog {
namespace {

constexpr std::array<std::string_view, 6> kComparisonTexts = {"=", "!=", "<", "<=", ">", ">="};
constexpr std::array<Comparison, 6> kOpposites = {Comparison::kDifferent,    Comparison::kEqual,
                                                  Comparison::kGreaterEqual, Comparison::kGreater,
                                                  Comparison::kLessEqual,    Comparison::kLess};

Comparison comparison_of(std::string_view text) {
  return static_cast<Comparison>(std::ranges::find(kComparisonTexts, text) -
                                 kComparisonTexts.begin());
}

AggregateFunction aggregate_of(std::string_view text) {
  constexpr std::array<std::string_view, 5> kNames = {"count", "sum", "min", "max", "mean"};
  return static_cast<AggregateFunction>(std::ranges::find(kNames, text) - kNames.begin());
}

bool has_symbols(const Term& term) {
  return term.kind == Kind::kSymbol ||
         std::ranges::any_of(term.arguments, [](const Term& of) { return has_symbols(of); });
}

/// Others than those that are the same or not.
bool has_symbols(const Literal& comparison) {
  const bool orders = comparison.comparison > Comparison::kDifferent;
  return std::ranges::any_of(comparison.arguments, [&](const Term& of) {
    return of.term == TermKind::kCall ? has_symbols(of) : orders && of.kind == Kind::kSymbol;
  });
}

}  // namespace

Term variable_term(int variable, Position position) {
  return {.term = TermKind::kVariable, .position = position, .variable = variable};
}

void RuleChecker::fail(Position position, const std::string& message) const {
  throw sql::SyntaxError(text_, position, message);
}

std::size_t RuleChecker::find_relation(const ast::Name& name) const {
  const auto found = std::ranges::find(relations_, name.text, &Relation::name);
  if (found != relations_.end()) return static_cast<std::size_t>(found - relations_.begin());
  std::vector<std::string_view> names;
  for (const Relation& of : relations_) names.push_back(of.name);
  fail(name.position, fmt::format("{} is not declared{}", name.text,
                                  names.empty() ? "" : internal::nearest_hint(name.text, names)));
}

// ---- Names

std::optional<int> RuleChecker::find_variable(std::string_view name) const {
  for (std::size_t i = scopes_.size(); i-- > 0;)
    if (const auto found = scopes_[i].find(name); found != scopes_[i].end()) return found->second;
  return {};
}

int RuleChecker::new_variable(std::string name, Position position) {
  variables_.push_back({std::move(name), position, {}});
  return static_cast<int>(variables_.size() - 1);
}

void RuleChecker::declare(const ast::Expression& expression) {
  if (expression.kind == ast::ExpressionKind::kVariable && !find_variable(expression.text))
    scopes_.back()[expression.text] = new_variable(expression.text, expression.position);
  if (expression.kind == ast::ExpressionKind::kAggregate) return;
  for (const ast::ExpressionPtr& of : expression.arguments) declare(*of);
}

void RuleChecker::declare(const Conjunction& body) {
  for (const SignedLiteral& of : body) {
    for (const ast::ExpressionPtr& each : of.literal->atom.arguments) declare(*each);
    for (const ast::ExpressionPtr& each : of.literal->operands) declare(*each);
  }
}

Term RuleChecker::term(const ast::Expression& expression, std::vector<Literal>& body) {
  Term made{.term = TermKind::kConstant, .position = expression.position, .text = expression.text};
  switch (expression.kind) {
    case ast::ExpressionKind::kVariable:
      return variable_term(*find_variable(expression.text), expression.position);
    case ast::ExpressionKind::kIgnored:
      fail(expression.position, "_ has no value, and one is needed here");
    case ast::ExpressionKind::kInteger:
      made.is_adaptable = !made.text.ends_with('u');
      made.kind = made.is_adaptable ? Kind::kNumber : Kind::kUnsigned;
      return made;
    case ast::ExpressionKind::kFloat:
      made.kind = Kind::kFloat;
      return made;
    case ast::ExpressionKind::kString:
      made.kind = Kind::kSymbol;
      return made;
    case ast::ExpressionKind::kAggregate:
      return hoisted(expression, body);
    case ast::ExpressionKind::kCall:
      break;
  }
  made.term = TermKind::kCall;
  made.functor = find_functor(expression.text);
  const std::size_t given = expression.arguments.size();
  const std::size_t needed = made.functor->parameters.size();
  if (given < needed || (given > needed && !made.functor->is_variadic))
    fail(expression.position,
         fmt::format("{} takes {} operand{}, here are {}", expression.text,
                     made.functor->is_variadic ? fmt::format("at least {}", needed)
                                               : fmt::to_string(needed),
                     needed == 1 ? "" : "s", given));
  for (const ast::ExpressionPtr& of : expression.arguments)
    made.arguments.push_back(term(*of, body));
  return made;
}

Term RuleChecker::hoisted(const ast::Expression& expression, std::vector<Literal>& body) {
  const std::vector<Conjunction> choices = alternatives(expression.body, text_);
  if (choices.size() != 1)
    fail(expression.position,
         "alternatives in an aggregate are not supported: give them a relation of their own");
  const auto outer_count = static_cast<int>(variables_.size());
  scopes_.emplace_back();
  for (const ast::ExpressionPtr& of : expression.arguments) declare(*of);
  declare(choices[0]);
  auto made = std::make_shared<Aggregate>();
  made->function = aggregate_of(expression.text);
  made->target.term = TermKind::kIgnored;
  for (const SignedLiteral& of : choices[0]) add(of, made->body);
  if (!expression.arguments.empty()) made->target = term(*expression.arguments[0], made->body);
  std::vector<bool> seen(static_cast<std::size_t>(outer_count));
  const auto note = [&](int variable) {
    if (variable < 0 || variable >= outer_count || seen[static_cast<std::size_t>(variable)]) return;
    seen[static_cast<std::size_t>(variable)] = true;
    made->outer.push_back(variable);
  };
  const auto note_term = [&](const auto& self, const Term& of) -> void {
    note(of.variable);
    for (const Term& argument : of.arguments) self(self, argument);
  };
  note_term(note_term, made->target);
  for (const Literal& of : made->body) {
    for (const Term& argument : of.arguments) note_term(note_term, argument);
    if (of.aggregate)
      for (const int variable : of.aggregate->outer) note(variable);
  }
  scopes_.pop_back();
  Literal literal{.kind = LiteralKind::kAggregate, .position = expression.position};
  literal.aggregate = std::move(made);
  literal.result = new_variable({}, expression.position);
  const Term result = variable_term(literal.result, expression.position);
  body.push_back(std::move(literal));
  return result;
}

void RuleChecker::check_arity(const ast::Atom& atom, std::size_t relation) const {
  const std::size_t expected = relations_[relation].attributes.size();
  if (atom.arguments.size() != expected)
    fail(atom.name.position,
         fmt::format("{} has {} attribute{}, here are {}", atom.name.text, expected,
                     expected == 1 ? "" : "s", atom.arguments.size()));
}

void RuleChecker::add_atom(const ast::Body& of, bool is_negated, std::vector<Literal>& body) {
  Literal made{.kind = is_negated ? LiteralKind::kAbsent : LiteralKind::kAtom,
               .position = of.atom.name.position};
  made.relation = find_relation(of.atom.name);
  check_arity(of.atom, made.relation);
  std::vector<Literal> equalities;
  for (const ast::ExpressionPtr& argument : of.atom.arguments) {
    if (argument->kind == ast::ExpressionKind::kIgnored) {
      made.arguments.push_back({.term = TermKind::kIgnored, .position = argument->position});
      continue;
    }
    Term value = term(*argument, body);
    if (!is_negated && value.term == TermKind::kCall) {
      Literal equality{.kind = LiteralKind::kComparison, .position = argument->position};
      const Term place = variable_term(new_variable({}, argument->position), argument->position);
      equality.arguments = {place, std::move(value)};
      equalities.push_back(std::move(equality));
      value = place;
    }
    made.arguments.push_back(std::move(value));
  }
  body.push_back(std::move(made));
  for (Literal& equality : equalities) body.push_back(std::move(equality));
}

void RuleChecker::add(const SignedLiteral& of, std::vector<Literal>& body) {
  const ast::Body& node = *of.literal;
  if (node.kind == ast::BodyKind::kAtom) return add_atom(node, of.is_negated, body);
  Literal made{.kind = LiteralKind::kComparison, .position = node.position};
  for (const ast::ExpressionPtr& operand : node.operands)
    made.arguments.push_back(term(*operand, body));
  if (node.kind == ast::BodyKind::kTest) {
    made.kind = LiteralKind::kTest;
    made.test = node.text == "match" ? Test::kMatch : Test::kContains;
    made.is_negated = of.is_negated;
  } else {
    made.comparison = comparison_of(node.text);
    if (of.is_negated) made.comparison = kOpposites[static_cast<std::size_t>(made.comparison)];
  }
  body.push_back(std::move(made));
}

// ---- Rules

Rule RuleChecker::rule(const ast::Atom& head, const Conjunction& body) {
  Rule made{.head = find_relation(head.name), .position = head.name.position};
  check_arity(head, made.head);
  for (const ast::ExpressionPtr& of : head.arguments) declare(*of);
  declare(body);
  for (const ast::ExpressionPtr& of : head.arguments)
    made.arguments.push_back(term(*of, made.body));
  for (const SignedLiteral& of : body) add(of, made.body);
  settle_all(made);
  std::vector<bool> bound(variables_.size());
  require_bound(made.body, bound);
  for (const Term& of : made.arguments) require_bound(of, bound);
  made.variables = std::move(variables_);
  return made;
}

Dominance RuleChecker::dominance(const ast::Subsumption& of) {
  if (of.less.name.text != of.more.name.text)
    fail(of.more.name.position, "both sides of <= have to be of the same relation");
  Rule rule{.head = find_relation(of.less.name)};
  Dominance made;
  const auto variables_of = [&](const ast::Atom& atom) {
    check_arity(atom, rule.head);
    std::vector<int> numbers;
    for (const ast::ExpressionPtr& argument : atom.arguments) {
      if (argument->kind == ast::ExpressionKind::kIgnored) {
        numbers.push_back(new_variable({}, argument->position));
      } else if (argument->kind == ast::ExpressionKind::kVariable) {
        declare(*argument);
        numbers.push_back(*find_variable(argument->text));
      } else {
        fail(argument->position, "a variable or _ was expected beside <=");
      }
      if (std::ranges::count(numbers, numbers.back()) > 1)
        fail(argument->position, "a variable may stand only once on each side of <=");
    }
    for (std::size_t i = 0; i < numbers.size(); ++i)
      want(variable_term(numbers[i], {}), relations_[rule.head].attributes[i].kind);
    return numbers;
  };
  made.less = variables_of(of.less);
  made.more = variables_of(of.more);
  for (std::size_t i = 0; i < made.less.size(); ++i) {
    if (made.less[i] == made.more[i])
      made.key.push_back(i);
    else if (std::ranges::find(made.more, made.less[i]) != made.more.end())
      fail(of.less.arguments[i]->position,
           "a variable has to stand at the same place on both sides of <=");
  }
  std::vector<bool> bound(variables_.size(), true);
  const std::vector<Conjunction> choices = alternatives(of.body, text_);
  if (choices.size() != 1) fail(of.body->position, "alternatives are not supported behind <=");
  declare(choices[0]);
  for (const SignedLiteral& one_of : choices[0]) {
    if (one_of.literal->kind != ast::BodyKind::kComparison)
      fail(one_of.literal->position, "only comparisons are supported behind <=");
    add(one_of, rule.body);
  }
  for (const Literal& literal : rule.body)
    if (literal.kind == LiteralKind::kAggregate)
      fail(literal.position, "an aggregate is not supported behind <=");
  settle_all(rule);
  // Cores that do not know of each other's new symbols decide.
  for (const Literal& literal : rule.body)
    if (has_symbols(literal)) fail(literal.position, "only numbers can be compared behind <=");
  bound.resize(variables_.size(), false);
  require_bound(rule.body, bound);
  made.condition = std::move(rule.body);
  made.variables = static_cast<int>(variables_.size());
  return made;
}

}  // namespace grappa::query::datalog
