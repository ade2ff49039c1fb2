#pragma once

// The part of check() that looks at a single rule.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/datalog/ast.hpp"
#include "grappa/query/datalog/program.hpp"

namespace grappa::query::datalog {

/// Literals of a conjunction, and whether they are negated.
struct SignedLiteral {
  ast::BodyPtr literal;
  bool is_negated;
};
using Conjunction = std::vector<SignedLiteral>;

/// The conjunctions one of which has to hold. SyntaxError where they are too many.
std::vector<Conjunction> alternatives(const ast::BodyPtr& body, std::string_view text);

class RuleChecker {
 public:
  RuleChecker(const std::vector<Relation>& relations, std::string_view text)
      : relations_(relations), text_(text) {}

  /// Once.
  Rule rule(const ast::Atom& head, const Conjunction& body);
  Dominance dominance(const ast::Subsumption& of);

  std::size_t find_relation(const ast::Name& name) const;

 private:
  using Names = std::map<std::string, int, std::less<>>;

  // ---- Names
  std::optional<int> find_variable(std::string_view name) const;
  int new_variable(std::string name, Position position);
  void declare(const ast::Expression& expression);
  void declare(const Conjunction& body);
  Term term(const ast::Expression& expression, std::vector<Literal>& body);
  Term hoisted(const ast::Expression& aggregate, std::vector<Literal>& body);
  void add(const SignedLiteral& of, std::vector<Literal>& body);
  void add_atom(const ast::Body& of, bool is_negated, std::vector<Literal>& body);
  void check_arity(const ast::Atom& atom, std::size_t relation) const;

  // ---- Kinds
  std::optional<Kind> kind_of(const Term& term) const;
  bool want(const Term& term, Kind kind);
  bool want_parameters(const Term& term);
  bool infer(const Literal& literal);
  void settle(Term& term, Kind expected);
  void settle(Literal& literal);
  void settle_all(Rule& rule);

  // ---- Bound variables
  void require_bound(const std::vector<Literal>& body, std::vector<bool>& bound) const;
  void require_bound(const Term& term, const std::vector<bool>& bound) const;
  void require_bound(int variable, const std::vector<bool>& bound) const;

  [[noreturn]] void fail(Position position, const std::string& message) const;

  const std::vector<Relation>& relations_;
  std::string_view text_;
  std::vector<Variable> variables_;
  std::vector<Names> scopes_{1};
};

Term variable_term(int variable, Position position);
/// Whether all variables of the term are bound.
bool is_bound(const Term& term, const std::vector<bool>& bound);

}  // namespace grappa::query::datalog
