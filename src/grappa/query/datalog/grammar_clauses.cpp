#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grappa/query/datalog/grammar.hpp"
#include "grappa/query/datalog/grammar_level.hpp"
#include "grappa/query/datalog/parser.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::datalog {

ast::Program parse(std::string_view text) { return Grammar(text).program(); }

Grammar::Grammar(std::string_view text) : text_(text), tokens_(tokenize(text)) {
  partners_.resize(tokens_.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    partners_[i] = i;
    if (tokens_[i].kind != TokenKind::kSymbol) continue;
    const std::string_view symbol = written(text_, tokens_[i]);
    if (symbol == "(") open.push_back(i);
    if (symbol == ")" && !open.empty()) {
      partners_[open.back()] = i;
      open.pop_back();
    }
  }
}

// ---- Tokens

const Token& Grammar::peek(std::size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

bool Grammar::at(std::string_view what, std::size_t ahead) const {
  return !at(TokenKind::kString, ahead) && word(ahead) == what;
}

bool Grammar::at_any(std::initializer_list<std::string_view> choice, std::size_t ahead) const {
  return std::ranges::any_of(choice, [&](std::string_view one) { return at(one, ahead); });
}

bool Grammar::accept(std::string_view what) {
  if (!at(what)) return false;
  ++next_;
  return true;
}

void Grammar::expect(std::string_view what) {
  if (!accept(what)) fail_expected(what);
}

ast::Name Grammar::expect_name(std::string_view what) {
  if (!at(TokenKind::kWord) || at("_")) fail_expected(what);
  ast::Name name{std::string(word()), position()};
  ++next_;
  return name;
}

void Grammar::fail_expected(std::string_view what) const {
  constexpr std::size_t kMostShown = 40;
  std::string found = at(TokenKind::kEnd) ? "the end of the text" : std::string(word());
  if (found.size() > kMostShown) found = "what is here";
  fail(position(), fmt::format("expected {}, found {}", what, found));
}

void Grammar::fail(ast::Position position, std::string_view message) const {
  throw sql::SyntaxError(text_, position, message);
}

void Grammar::fail_unsupported(std::string_view what) const {
  fail(position(), fmt::format("{} not supported", what));
}

// ---- Clauses

ast::Program Grammar::program() {
  ast::Program made;
  while (!at(TokenKind::kEnd)) {
    if (at(TokenKind::kDirective))
      directive(made);
    else
      clause(made);
  }
  return made;
}

void Grammar::clause(ast::Program& program) {
  if (at(".") && at(TokenKind::kWord, 1)) refuse_directive();
  if (!at(TokenKind::kWord)) fail_expected("a rule, a fact or a directive");
  ast::Atom head = atom();
  if (accept("<=")) {
    ast::Subsumption made{.less = std::move(head), .more = atom()};
    expect(":-");
    made.body = body();
    expect(".");
    program.subsumptions.push_back(std::move(made));
    return;
  }
  ast::Rule rule;
  rule.heads.push_back(std::move(head));
  while (accept(",")) rule.heads.push_back(atom());
  if (accept(":-")) rule.body = body();
  if (!at(".")) fail_expected(rule.body ? "'.' or ','" : "'.', ',' or ':-'");
  ++next_;
  program.rules.push_back(std::move(rule));
  if (at(".plan")) fail_unsupported(".plan is");
}

ast::Atom Grammar::atom() {
  if (at(TokenKind::kWord) && (is_functor(word()) || is_test(word())) && at("(", 1))
    fail(position(), fmt::format("{} is the name of a functor, not of a relation", word()));
  ast::Atom made;
  made.name = expect_name("the name of a relation");
  if (at(".") && at(TokenKind::kWord, 1) && peek(1).offset == peek().offset + 1)
    fail_unsupported("components are");
  expect("(");
  if (accept(")")) return made;
  do {
    made.arguments.push_back(expression());
  } while (accept(","));
  if (!accept(")")) fail_expected("',' or ')'");
  return made;
}

// ---- Bodies

ast::BodyPtr Grammar::made(ast::Body node) const {
  for (const ast::BodyPtr& part : node.parts) node.height = std::max(node.height, part->height + 1);
  for (const ast::ExpressionPtr& of : node.operands)
    node.height = std::max(node.height, of->height + 1);
  for (const ast::ExpressionPtr& of : node.atom.arguments)
    node.height = std::max(node.height, of->height + 1);
  check_height(node.height, node.position);
  return std::make_shared<const ast::Body>(std::move(node));
}

ast::BodyPtr Grammar::body() {
  const Level level(*this);
  ast::Body either{.kind = ast::BodyKind::kOr, .position = position()};
  do {
    either.parts.push_back(conjunction());
  } while (accept(";"));
  return either.parts.size() == 1 ? either.parts[0] : made(std::move(either));
}

ast::BodyPtr Grammar::conjunction() {
  ast::Body all{.kind = ast::BodyKind::kAnd, .position = position()};
  do {
    all.parts.push_back(literal());
  } while (accept(","));
  return all.parts.size() == 1 ? all.parts[0] : made(std::move(all));
}

ast::BodyPtr Grammar::literal() {
  const Level level(*this);
  ast::Body node{.position = position()};
  if (accept("!")) {
    node.kind = ast::BodyKind::kNot;
    node.parts.push_back(literal());
    return made(std::move(node));
  }
  if (at_any({"true", "false"}) && !at("(", 1)) {
    node.kind = at("true") ? ast::BodyKind::kTrue : ast::BodyKind::kFalse;
    ++next_;
    return made(std::move(node));
  }
  if (at("(") && !encloses_operand()) {
    ++next_;
    ast::BodyPtr inner = body();
    if (!accept(")")) fail_expected("',', ';' or ')'");
    return inner;
  }
  if (at(TokenKind::kWord) && at("(", 1)) {
    if (is_test(word())) {
      node.kind = ast::BodyKind::kTest;
      node.text = word();
      next_ += 2;
      node.operands.push_back(expression());
      expect(",");
      node.operands.push_back(expression());
      expect(")");
      return made(std::move(node));
    }
    if (!is_functor(word()) && !at_aggregate()) {
      node.kind = ast::BodyKind::kAtom;
      node.atom = atom();
      return made(std::move(node));
    }
  }
  return comparison();
}

ast::BodyPtr Grammar::comparison() {
  ast::Body node{.kind = ast::BodyKind::kComparison, .position = position()};
  node.operands.push_back(expression());
  if (!at(TokenKind::kSymbol) || !is_comparison(word())) fail_expected("a comparison");
  node.text = word();
  ++next_;
  node.operands.push_back(expression());
  return made(std::move(node));
}

bool Grammar::encloses_operand() const {
  const std::size_t partner = partners_[next_];
  if (partner + 1 >= tokens_.size()) return false;
  const std::string_view behind = written(text_, tokens_[partner + 1]);
  return partner != next_ && (is_comparison(behind) || is_operator(behind));
}

}  // namespace grappa::query::datalog
