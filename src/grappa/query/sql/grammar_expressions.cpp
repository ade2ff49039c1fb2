#include <fmt/format.h>

#include <array>

#include "grappa/query/sql/grammar.hpp"
#include "grappa/query/sql/keywords.hpp"

namespace grappa::query::sql {
namespace {

struct Infix {
  std::string_view symbol;
  Operator op;
};

constexpr std::array kInfixes = {
    Infix{"AND", Operator::kAnd},
    Infix{"OR", Operator::kOr},
    Infix{"=", Operator::kEqual},
    Infix{"==", Operator::kEqual},
    Infix{"<>", Operator::kNotEqual},
    Infix{"!=", Operator::kNotEqual},
    Infix{"<", Operator::kLess},
    Infix{"<=", Operator::kLessOrEqual},
    Infix{">", Operator::kGreater},
    Infix{">=", Operator::kGreaterOrEqual},
    Infix{"~", Operator::kMatches},
    Infix{"!~", Operator::kNotMatches},
    Infix{"~*", Operator::kMatchesAnyCase},
    Infix{"!~*", Operator::kNotMatchesAnyCase},
    Infix{"||", Operator::kConcatenate},
    Infix{"&", Operator::kBitAnd},
    Infix{"|", Operator::kBitOr},
    Infix{"<<", Operator::kShiftLeft},
    Infix{">>", Operator::kShiftRight},
    Infix{"+", Operator::kAdd},
    Infix{"-", Operator::kSubtract},
    Infix{"*", Operator::kMultiply},
    Infix{"/", Operator::kDivide},
    Infix{"%", Operator::kModulo},
    Infix{"^", Operator::kPower},
};

const Infix* infix_at(const TokenStream& tokens) {
  for (const Infix& infix : kInfixes) {
    if (tokens.at(infix.symbol)) return &infix;
  }
  return nullptr;
}

bool at_match(const TokenStream& tokens) {
  return tokens.at_any({"IN", "BETWEEN", "LIKE", "ILIKE", "SIMILAR"}, tokens.at("NOT") ? 1 : 0);
}

/// What the next token is an operator behind a value of, if it is one.
std::optional<Precedence> precedence_at(const TokenStream& tokens, const Infix* infix) {
  if (infix != nullptr) return precedence_of(infix->op);
  if (tokens.at_any({"IS", "ISNULL", "NOTNULL"})) return Precedence::kIs;
  if (at_match(tokens)) return Precedence::kMatch;
  return std::nullopt;
}

/// Whether the outermost operator of what has been parsed ends with a token of its own, not with an
/// operand that might go on: a IS NULL, a IN (b).
bool is_closed(const Expression& expression) {
  const auto* const operation = std::get_if<Operation>(&expression.node);
  return operation != nullptr ? operation->operands.size() == 1
                              : std::holds_alternative<In>(expression.node) ||
                                    std::holds_alternative<Quantified>(expression.node);
}

}  // namespace

Expression Grammar::whole_expression() {
  Expression result = expression();
  if (!tokens_.at(TokenKind::kEnd)) {
    tokens_.fail_expected("an operator or the end of the expression");
  }
  return result;
}

std::vector<Expression> Grammar::expressions() {
  std::vector<Expression> result;
  do result.push_back(expression());
  while (tokens_.accept(","));
  return result;
}

/// What operators that bind at least as tightly as `least` hold together.
Expression Grammar::expression(Precedence least) {
  const Level level(*this);
  Expression left = operand();
  Precedence before = Precedence::kPrimary;  // of an operator that does not chain
  for (;;) {
    const Infix* const infix = infix_at(tokens_);
    const std::optional<Precedence> precedence = precedence_at(tokens_, infix);
    if (!precedence || *precedence < least) return left;
    if (*precedence == before) fail_chain();
    if (infix != nullptr) {
      extend(left, infix->op);
    } else if (*precedence == Precedence::kIs) {
      is(left);
    } else {
      match(left);
    }
    before = operator_chains(*precedence) || is_closed(left) ? Precedence::kPrimary : *precedence;
  }
}

void Grammar::fail_chain() const {
  tokens_.fail(tokens_.position(),
               fmt::format("expected parentheses around one of two comparisons, found {}",
                           tokens_.written()));
}

Expression Grammar::operand() {
  if (tokens_.at("NOT")) return prefixed(Operator::kNot);
  if (tokens_.at("-")) return prefixed(Operator::kMinus);
  if (tokens_.at("+")) return prefixed(Operator::kPlus);
  if (tokens_.at("~")) return prefixed(Operator::kBitNot);
  return with_casts();
}

Expression Grammar::with_casts() {
  Expression value = primary();
  while (tokens_.at("::")) short_cast(value);
  return value;
}

Expression Grammar::prefixed(Operator op) {
  const PlacedOperator placed{op, tokens_.position()};
  tokens_.skip();
  // In ~a & b the first operator is applied first, as in a & b & c.
  const Precedence least = precedence_of(op);
  Expression made = expression(op == Operator::kBitNot ? above(least) : least);
  apply(placed, made);
  return made;
}

/// Takes an operator and what stands behind it.
void Grammar::extend(Expression& left, Operator op) {
  const PlacedOperator placed{op, tokens_.position()};
  const Precedence precedence = precedence_of(op);
  tokens_.skip();
  if (precedence == Precedence::kComparison && tokens_.at_any({"ANY", "SOME", "ALL"}) &&
      tokens_.at("(", 1)) {
    quantified(left, placed);
  } else {
    add_operand(left, placed, expression(above(precedence)));
  }
}

/// Appends to `left` where that has operators that chain with this one.
void Grammar::add_operand(Expression& left, PlacedOperator op, Expression right) {
  const Precedence precedence = precedence_of(op.op);
  auto* const chain = std::get_if<Operation>(&left.node);
  if (chain != nullptr && chain->operands.size() > 1 && operator_chains(precedence) &&
      precedence_of(chain->operators[0].op) == precedence) {
    chain->operators.push_back(op);
    chain->operands.push_back(std::move(right));
    return;
  }
  Operation made;
  made.operators.push_back(op);
  made.operands.push_back(std::move(left));
  made.operands.push_back(std::move(right));
  left = {std::move(made), op.position};
  grow();
}

/// Makes an operand the only one of an operator.
void Grammar::apply(PlacedOperator op, Expression& operand) {
  Operation made;
  made.operators.push_back(op);
  made.operands.push_back(std::move(operand));
  operand = {std::move(made), op.position};
  grow();
}

void Grammar::quantified(Expression& left, PlacedOperator op) {
  const bool is_all = tokens_.at("ALL");
  tokens_.skip();
  if (!at_query(1) && !tokens_.at("(", 1)) {
    tokens_.skip();
    tokens_.fail_expected("a query");
  }
  left = {Quantified{std::move(left), op.op, is_all, query_in_parentheses()}, op.position};
  grow();
}

void Grammar::is(Expression& left) {
  const Position place = tokens_.position();
  if (tokens_.accept("ISNULL")) return apply({Operator::kIsNull, place}, left);
  if (tokens_.accept("NOTNULL")) return apply({Operator::kIsNotNull, place}, left);
  tokens_.expect("IS");
  const bool is_not = tokens_.accept("NOT");
  if (tokens_.accept({"DISTINCT", "FROM"})) {
    const Operator op = is_not ? Operator::kNotDistinct : Operator::kDistinct;
    return add_operand(left, {op, place}, expression(above(Precedence::kIs)));
  }
  struct Test {
    std::string_view word;
    Operator plain, negated;
  };
  constexpr std::array kTests = {Test{"NULL", Operator::kIsNull, Operator::kIsNotNull},
                                 Test{"TRUE", Operator::kIsTrue, Operator::kIsNotTrue},
                                 Test{"FALSE", Operator::kIsFalse, Operator::kIsNotFalse},
                                 Test{"UNKNOWN", Operator::kIsUnknown, Operator::kIsNotUnknown}};
  for (const Test& test : kTests) {
    if (tokens_.accept(test.word)) return apply({is_not ? test.negated : test.plain, place}, left);
  }
  tokens_.fail_expected(is_not ? "NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM"
                               : "NOT, NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM");
}

/// [NOT] IN, BETWEEN, LIKE, …
void Grammar::match(Expression& left) {
  const Position place = tokens_.position();
  const bool is_negated = tokens_.accept("NOT");
  if (tokens_.at("IN")) {
    in(left, is_negated, place);
  } else if (tokens_.at("BETWEEN")) {
    between(left, is_negated, place);
  } else {
    like(left, is_negated, place);
  }
  grow();
}

void Grammar::between(Expression& left, bool is_negated, Position place) {
  constexpr Precedence kBound = above(Precedence::kMatch);
  tokens_.expect("BETWEEN");
  const bool is_symmetric = tokens_.accept("SYMMETRIC");
  if (!is_symmetric) tokens_.accept("ASYMMETRIC");
  Between made{std::move(left), expression(kBound), {}, is_negated, is_symmetric};
  tokens_.expect("AND");
  made.high = expression(kBound);
  left = {std::move(made), place};
}

void Grammar::like(Expression& left, bool is_negated, Position place) {
  constexpr Precedence kPattern = above(Precedence::kMatch);
  LikeKind kind = LikeKind::kLike;
  if (tokens_.accept("ILIKE")) {
    kind = LikeKind::kLikeAnyCase;
  } else if (tokens_.accept("SIMILAR")) {
    tokens_.expect("TO");
    kind = LikeKind::kSimilarTo;
  } else {
    tokens_.expect("LIKE");
  }
  if (tokens_.at_any({"ANY", "SOME", "ALL"}) && tokens_.at("(", 1)) {
    tokens_.fail(tokens_.position(), fmt::format("LIKE {} is not supported", tokens_.written()));
  }
  Like made{kind, std::move(left), expression(kPattern), {}, is_negated};
  if (tokens_.accept("ESCAPE")) made.escape = expression(kPattern);
  left = {std::move(made), place};
}

void Grammar::in(Expression& left, bool is_negated, Position place) {
  tokens_.expect("IN");
  In made{std::move(left), {}, {}, is_negated};
  if (tokens_.at("(") && at_query(1)) {
    made.query = query_in_parentheses();
  } else {
    tokens_.expect("(");
    made.list = expressions();
    if (made.list.size() == 1 && continues_query()) continue_query(made.list[0]);
    tokens_.expect(")");
    // A query in parentheses of its own.
    auto* const alone = std::get_if<ScalarSubquery>(&made.list[0].node);
    if (made.list.size() == 1 && alone != nullptr) {
      made.query = std::move(alone->query);
      made.list.clear();
    }
  }
  left = {std::move(made), place};
}

Query Grammar::query_in_parentheses() {
  tokens_.expect("(");
  Query result = query();
  tokens_.expect(")");
  return result;
}

Expression Grammar::primary() {
  if (tokens_.at("(")) return parenthesized();
  if (tokens_.at("CASE")) return case_expression();
  if (tokens_.at("CAST") || (tokens_.at("TRY_CAST") && tokens_.at("(", 1))) return cast();
  if (tokens_.at("EXISTS") && tokens_.at("(", 1)) return exists();
  if (tokens_.at("ROW") && tokens_.at("(", 1)) return row();
  if (tokens_.at("INTERVAL") && (tokens_.at("(", 1) || tokens_.at(TokenKind::kString, 1) ||
                                 tokens_.at(TokenKind::kInteger, 1))) {
    return interval();
  }
  if (at_typed_string()) return typed_string();
  return literal_or_name();
}

Expression Grammar::exists() {
  const Position place = tokens_.position();
  tokens_.expect("EXISTS");
  Exists made{query_in_parentheses()};
  grow();
  return {std::move(made), place};
}

/// ROW(a, b).
Expression Grammar::row() {
  const Position place = tokens_.position();
  tokens_.expect("ROW");
  tokens_.expect("(");
  Row made;
  if (!tokens_.at(")")) made.values = expressions();
  tokens_.expect(")");
  grow();
  return {std::move(made), place};
}

Expression Grammar::literal_or_name() {
  const Position place = tokens_.position();
  const auto literal = [&](LiteralKind kind, std::string text) -> Expression {
    return {Literal{kind, std::move(text)}, place};
  };
  // PostgreSQL 16 and DuckDB have 1_000, which the lexer refuses: what is left is digits.
  const auto number = [&](LiteralKind kind) {
    std::string text(tokens_.written());
    tokens_.skip();
    return literal(kind, std::move(text));
  };
  switch (tokens_.peek().kind) {
    case TokenKind::kInteger:
      return number(LiteralKind::kInteger);
    case TokenKind::kDecimal:
      return number(LiteralKind::kDecimal);
    case TokenKind::kDouble:
      return number(LiteralKind::kDouble);
    case TokenKind::kString:
      return literal(LiteralKind::kString, tokens_.take_unquoted());
    default:
      break;
  }
  if (tokens_.accept("NULL")) return literal(LiteralKind::kNull, "");
  if (tokens_.accept("TRUE")) return literal(LiteralKind::kTrue, "");
  if (tokens_.accept("FALSE")) return literal(LiteralKind::kFalse, "");
  return column_or_call();
}

Expression Grammar::column_or_call() {
  const Position place = tokens_.position();
  if (tokens_.at(TokenKind::kWord) && is_function_keyword(tokens_.written())) {
    if (tokens_.at("(", 1)) return call(tokens_.expect_label());
    if (is_function_without_parentheses(tokens_.written())) {
      FunctionCall made;
      made.name = tokens_.expect_label();
      return {std::move(made), place};
    }
  }
  if (!tokens_.at_name()) tokens_.fail_expected("an expression");
  std::vector<Name> parts{tokens_.expect_name("a column")};
  if (tokens_.at("(")) return call(std::move(parts[0]));
  while (tokens_.accept(".")) {
    if (tokens_.accept("*")) return {star(std::move(parts)), place};
    parts.push_back(tokens_.expect_label());
  }
  if (tokens_.at("(")) {
    tokens_.fail(parts.back().position,
                 "functions of a schema or a value (a.f()) are not supported");
  }
  return {ColumnReference{std::move(parts)}, place};
}

/// What follows the asterisk.
Star Grammar::star(std::vector<Name> qualifier) {
  Star made{std::move(qualifier), {}, {}};
  if (tokens_.accept("EXCLUDE")) {
    if (tokens_.at("(")) {
      made.exclude = names_in_parentheses("a column");
    } else {
      made.exclude.push_back(tokens_.expect_name("a column"));
    }
  }
  if (tokens_.accept("REPLACE")) {
    const bool is_list = tokens_.accept("(");
    do {
      Expression value = expression();
      tokens_.expect("AS");
      made.replace.push_back({std::move(value), tokens_.expect_label()});
    } while (is_list && tokens_.accept(","));
    if (is_list) tokens_.expect(")");
  }
  if (tokens_.at("RENAME") && tokens_.at("(", 1))
    tokens_.fail(tokens_.position(), "* RENAME is not supported; AS gives a column another name");
  return made;
}

Expression Grammar::parenthesized() {
  const Position place = tokens_.position();
  tokens_.expect("(");
  const bool is_query = at_query();
  Expression made = is_query ? subquery() : expression();
  if (continues_query()) continue_query(made);
  if (tokens_.at(",") && !is_query) continue_row(made, place);
  tokens_.expect(")");
  return made;
}

Expression Grammar::subquery() {
  const Position place = tokens_.position();
  ScalarSubquery made{query()};
  grow();
  return {std::move(made), place};
}

/// In ((SELECT 1) UNION SELECT 2) what seemed a value is the beginning of a query.
void Grammar::continue_query(Expression& first) {
  auto* const subquery = std::get_if<ScalarSubquery>(&first.node);
  if (subquery != nullptr) subquery->query = query_behind(as_term(std::move(*subquery->query)));
}

/// In (a, b) a is not all.
void Grammar::continue_row(Expression& first, Position place) {
  Row made;
  made.values.push_back(std::move(first));
  while (tokens_.accept(",")) made.values.push_back(expression());
  first = {std::move(made), place};
  grow();
}

Expression Grammar::case_expression() {
  const Position place = tokens_.position();
  tokens_.expect("CASE");
  Case made;
  if (!tokens_.at("WHEN")) made.operand = expression();
  do {
    tokens_.expect("WHEN");
    Expression condition = expression();
    tokens_.expect("THEN");
    made.branches.push_back({std::move(condition), expression()});
  } while (tokens_.at("WHEN"));
  if (tokens_.accept("ELSE")) made.otherwise = expression();
  if (!tokens_.accept("END")) tokens_.fail_expected(made.otherwise ? "END" : "WHEN, ELSE or END");
  grow();
  return {std::move(made), place};
}

}  // namespace grappa::query::sql
