#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "grappa/base/text_values.hpp"
#include "grappa/query/datalog/functor.hpp"
#include "grappa/query/datalog/grammar.hpp"
#include "grappa/query/datalog/grammar_level.hpp"
#include "grappa/query/datalog/parser.hpp"

namespace grappa::query::datalog {
namespace {

struct Operator {
  std::string_view text;
  int precedence;
  bool is_right = false;
};

constexpr int kNegation = 9;
constexpr std::array<Operator, 16> kOperators = {{{"lor", 1},
                                                  {"lxor", 2},
                                                  {"land", 3},
                                                  {"bor", 4},
                                                  {"bxor", 5},
                                                  {"band", 6},
                                                  {"bshl", 7},
                                                  {"bshr", 7},
                                                  {"bshru", 7},
                                                  {"+", 8},
                                                  {"-", 8},
                                                  {"*", 9},
                                                  {"/", 9},
                                                  {"%", 9},
                                                  {"^", 11, true},
                                                  {"**", 11, true}}};

const Operator* find_operator(std::string_view text) {
  const auto found = std::ranges::find(kOperators, text, &Operator::text);
  return found == kOperators.end() ? nullptr : &*found;
}

constexpr std::array<std::string_view, 5> kAggregates = {"count", "sum", "min", "max", "mean"};

}  // namespace

bool is_operator(std::string_view text) { return find_operator(text) != nullptr; }

bool is_comparison(std::string_view text) {
  constexpr std::array<std::string_view, 6> kComparisons = {"=", "!=", "<", "<=", ">", ">="};
  return std::ranges::find(kComparisons, text) != kComparisons.end();
}

ast::ExpressionPtr Grammar::made(ast::Expression node) const {
  for (const ast::ExpressionPtr& of : node.arguments)
    node.height = std::max(node.height, of->height + 1);
  if (node.body) node.height = std::max(node.height, node.body->height + 1);
  check_height(node.height, node.position);
  return std::make_shared<const ast::Expression>(std::move(node));
}

void Grammar::check_height(int height, ast::Position where) const {
  if (height > kMostLevels)
    fail(where, fmt::format("nested more than {} levels deep", kMostLevels));
}

ast::ExpressionPtr Grammar::expression(int least) {
  const Level level(*this);
  ast::ExpressionPtr left = operand();
  for (;;) {
    const Operator* const next = at(TokenKind::kString) ? nullptr : find_operator(word());
    if (next == nullptr || next->precedence < least) return left;
    ast::Expression both{.kind = ast::ExpressionKind::kCall, .position = position()};
    both.text = next->text == "**" ? "^" : next->text;
    ++next_;
    both.arguments = {left, expression(next->is_right ? next->precedence : next->precedence + 1)};
    left = made(std::move(both));
  }
}

ast::ExpressionPtr Grammar::leaf(ast::ExpressionKind kind) {
  ast::Expression node{.kind = kind, .position = position(), .text = std::string(word())};
  if (kind == ast::ExpressionKind::kString) node.text = unquoted(text_, peek());
  ++next_;
  return made(std::move(node));
}

ast::ExpressionPtr Grammar::operand() {
  const Level level(*this);
  if (at(TokenKind::kInteger)) return leaf(ast::ExpressionKind::kInteger);
  if (at(TokenKind::kFloat)) return leaf(ast::ExpressionKind::kFloat);
  if (at(TokenKind::kString)) return leaf(ast::ExpressionKind::kString);
  if (at("_")) return leaf(ast::ExpressionKind::kIgnored);
  if (at("[")) fail_unsupported("records are");
  if (at("$")) fail_unsupported("algebraic data types and counters ($) are");
  if (at("@")) fail_unsupported("functors of one's own (@) are");
  if (accept("(")) {
    ast::ExpressionPtr inner = expression();
    if (!accept(")")) fail_expected("')'");
    return inner;
  }
  if (at_any({"-", "bnot", "lnot"})) {
    ast::Expression node{.kind = ast::ExpressionKind::kCall, .position = position()};
    node.text = at("-") ? "negate" : word();
    ++next_;
    // A minus is part of the number, so that the least one can be written.
    if (node.text == "negate" && (at(TokenKind::kInteger) || at(TokenKind::kFloat)) &&
        !at("^", 1)) {
      ast::Expression number = *leaf(at(TokenKind::kInteger) ? ast::ExpressionKind::kInteger
                                                             : ast::ExpressionKind::kFloat);
      number.text.insert(0, 1, '-');
      number.position = node.position;
      return made(std::move(number));
    }
    node.arguments = {expression(kNegation + 1)};
    return made(std::move(node));
  }
  if (!at(TokenKind::kWord)) fail_expected("an expression");
  if (at_aggregate()) return aggregate();
  if (at("nil")) fail_unsupported("records are");
  if (at("as") && at("(", 1)) fail_unsupported("as(…) is");
  if (at("range") && at("(", 1)) fail_unsupported("range(…) is");
  if (at("(", 1)) return call();
  return leaf(ast::ExpressionKind::kVariable);
}

ast::ExpressionPtr Grammar::call() {
  if (!is_functor(word())) {
    std::vector<std::string_view> names = functor_names();
    fail(position(),
         fmt::format("there is no functor {}{}", word(), internal::nearest_hint(word(), names)));
  }
  ast::Expression node{.kind = ast::ExpressionKind::kCall, .position = position()};
  node.text = word();
  next_ += 2;
  if (accept(")")) return made(std::move(node));
  do {
    node.arguments.push_back(expression());
  } while (accept(","));
  if (!accept(")")) fail_expected("',' or ')'");
  return made(std::move(node));
}

bool Grammar::at_aggregate() const {
  if (!at(TokenKind::kWord) || std::ranges::find(kAggregates, word()) == kAggregates.end())
    return false;
  if (at("count")) return at(":", 1);
  // min(x, y) is a functor.
  if (!at("(", 1)) return !at(TokenKind::kSymbol, 1) || at("-", 1);
  const std::size_t partner = partners_[next_ + 1];
  return partner + 1 < tokens_.size() && written(text_, tokens_[partner + 1]) == ":";
}

ast::ExpressionPtr Grammar::aggregate() {
  ast::Expression node{.kind = ast::ExpressionKind::kAggregate, .position = position()};
  node.text = word();
  ++next_;
  if (node.text != "count") node.arguments.push_back(expression());
  expect(":");
  if (accept("{")) {
    node.body = body();
    if (!accept("}")) fail_expected("',' or '}'");
  } else {
    node.body = literal();
  }
  return made(std::move(node));
}

}  // namespace grappa::query::datalog
