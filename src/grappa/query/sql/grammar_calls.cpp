#include <fmt/format.h>

#include <iterator>

#include "grappa/query/sql/grammar.hpp"

namespace grappa::query::sql {
namespace {

Expression string_literal(std::string text, Position place) {
  return {Literal{LiteralKind::kString, std::move(text)}, place};
}

}  // namespace

/// What follows the name of a function.
Expression Grammar::call(Name name) {
  const Position place = name.position;
  FunctionCall made;
  made.name = std::move(name);
  tokens_.expect("(");
  if (!special_arguments(made)) arguments(made);
  tokens_.expect(")");
  call_suffixes(made);
  grow();
  return {std::move(made), place};
}

void Grammar::arguments(FunctionCall& call) {
  if (tokens_.at("*") && tokens_.at(")", 1)) {
    tokens_.skip();
    call.is_star = true;
    return;
  }
  call.is_distinct = tokens_.accept("DISTINCT");
  if (call.is_distinct || tokens_.accept("ALL") || !tokens_.at(")")) {
    std::vector<Expression> more = expressions();
    call.arguments.insert(call.arguments.end(), std::make_move_iterator(more.begin()),
                          std::make_move_iterator(more.end()));
  }
  if (tokens_.at("ORDER")) call.order_by = order_items();
  null_treatment(call);
  if (!tokens_.at(")")) tokens_.fail_expected("an operator, a comma or )");
}

/// The arguments of functions that have keywords between them, where that is what stands here.
bool Grammar::special_arguments(FunctionCall& call) {
  const auto is = [&](std::string_view name) { return equal_folded(call.name.text, name); };
  if (is("extract")) return extract_arguments(call);
  if (is("position")) return position_arguments(call);
  if (is("trim")) {
    trim_arguments(call);
    return true;
  }
  if (!is("substring") && !is("overlay")) return false;
  if (tokens_.at(")")) return false;
  call.arguments.push_back(expression());
  if (is("overlay") && tokens_.accept("PLACING")) {
    call.arguments.push_back(expression());
    tokens_.expect("FROM");
    call.arguments.push_back(expression());
    if (tokens_.accept("FOR")) call.arguments.push_back(expression());
    return true;
  }
  if (is("substring") && tokens_.at_any({"FROM", "FOR"})) {
    const Position place = tokens_.position();
    call.arguments.push_back(tokens_.accept("FROM")
                                 ? expression()
                                 : Expression{Literal{LiteralKind::kInteger, "1"}, place});
    if (tokens_.accept("FOR")) call.arguments.push_back(expression());
    return true;
  }
  if (tokens_.accept(",")) arguments(call);
  return true;
}

/// field FROM x.
bool Grammar::extract_arguments(FunctionCall& call) {
  const bool is_field = tokens_.at(TokenKind::kWord) || tokens_.at(TokenKind::kString);
  if (!is_field || !tokens_.at("FROM", 1)) return false;
  const Position place = tokens_.position();
  std::string field =
      tokens_.at(TokenKind::kString) ? tokens_.take_unquoted() : tokens_.expect_label().text;
  call.arguments.push_back(string_literal(folded(field), place));
  tokens_.expect("FROM");
  call.arguments.push_back(expression());
  return true;
}

/// a IN b, which is position(b, a).
bool Grammar::position_arguments(FunctionCall& call) {
  if (tokens_.at(")")) return false;
  call.arguments.push_back(expression(above(Precedence::kMatch)));
  if (tokens_.accept("IN")) {
    call.arguments.insert(call.arguments.begin(), expression());
  } else if (tokens_.accept(",")) {
    arguments(call);
  }
  return true;
}

/// [BOTH | LEADING | TRAILING] [characters] FROM x; or x and perhaps the characters.
void Grammar::trim_arguments(FunctionCall& call) {
  if (tokens_.accept("LEADING")) {
    call.name.text = "ltrim";
  } else if (tokens_.accept("TRAILING")) {
    call.name.text = "rtrim";
  } else {
    tokens_.accept("BOTH");
  }
  if (!tokens_.at("FROM")) call.arguments = expressions();
  if (!tokens_.accept("FROM")) return;
  std::vector<Expression> trimmed = expressions();
  call.arguments.insert(call.arguments.begin(), std::make_move_iterator(trimmed.begin()),
                        std::make_move_iterator(trimmed.end()));
}

void Grammar::null_treatment(FunctionCall& call) {
  if (tokens_.accept({"IGNORE", "NULLS"})) {
    call.ignores_nulls = true;
  } else {
    tokens_.accept({"RESPECT", "NULLS"});
  }
}

void Grammar::call_suffixes(FunctionCall& call) {
  if (tokens_.accept({"WITHIN", "GROUP"})) {
    tokens_.expect("(");
    if (!tokens_.at("ORDER")) tokens_.fail_expected("ORDER BY");
    call.within_group = order_items();
    tokens_.expect(")");
  }
  if (tokens_.accept({"FILTER", "("})) {
    tokens_.accept("WHERE");
    call.filter = expression();
    tokens_.expect(")");
  }
  null_treatment(call);
  if (!tokens_.at("OVER")) return;
  const Position place = tokens_.position();
  tokens_.skip();
  if (tokens_.at("(")) {
    call.over = window();
    return;
  }
  Window named;
  named.base = tokens_.expect_name("a window");
  named.position = place;
  call.over = std::move(named);
}

Window Grammar::window() {
  Window made;
  made.position = tokens_.position();
  tokens_.expect("(");
  if (tokens_.at_name() && !tokens_.at("PARTITION") &&
      !tokens_.at_any({"ROWS", "RANGE", "GROUPS"})) {
    made.base = tokens_.expect_name("a window");
  }
  if (tokens_.accept("PARTITION")) {
    tokens_.expect("BY");
    made.partition_by = expressions();
  }
  if (tokens_.at("ORDER")) made.order_by = order_items();
  if (tokens_.at_any({"ROWS", "RANGE", "GROUPS"})) made.frame = frame();
  if (!tokens_.accept(")")) {
    tokens_.fail_expected("PARTITION BY, ORDER BY, ROWS, RANGE, GROUPS or )");
  }
  return made;
}

Frame Grammar::frame() {
  Frame made;
  made.position = tokens_.position();
  made.unit = tokens_.at("ROWS")    ? FrameUnit::kRows
              : tokens_.at("RANGE") ? FrameUnit::kRange
                                    : FrameUnit::kGroups;
  tokens_.skip();
  if (tokens_.accept("BETWEEN")) {
    made.begin = frame_bound();
    tokens_.expect("AND");
    made.end = frame_bound();
  } else {
    made.begin = frame_bound();
  }
  if (made.begin.kind > made.end.kind || made.begin.kind == BoundKind::kUnboundedFollowing ||
      made.end.kind == BoundKind::kUnboundedPreceding) {
    tokens_.fail(made.position, "expected a frame that begins before it ends");
  }
  if (!tokens_.accept("EXCLUDE")) return made;
  if (tokens_.accept({"CURRENT", "ROW"})) {
    made.exclusion = FrameExclusion::kCurrentRow;
  } else if (tokens_.accept("GROUP")) {
    made.exclusion = FrameExclusion::kGroup;
  } else if (tokens_.accept("TIES")) {
    made.exclusion = FrameExclusion::kTies;
  } else if (!tokens_.accept({"NO", "OTHERS"})) {
    tokens_.fail_expected("CURRENT ROW, GROUP, TIES or NO OTHERS");
  }
  return made;
}

FrameBound Grammar::frame_bound() {
  if (tokens_.accept({"UNBOUNDED", "PRECEDING"})) return {BoundKind::kUnboundedPreceding, {}};
  if (tokens_.accept({"UNBOUNDED", "FOLLOWING"})) return {BoundKind::kUnboundedFollowing, {}};
  if (tokens_.accept({"CURRENT", "ROW"})) return {BoundKind::kCurrentRow, {}};
  Expression offset = expression();
  if (tokens_.accept("PRECEDING")) return {BoundKind::kPreceding, std::move(offset)};
  if (tokens_.accept("FOLLOWING")) return {BoundKind::kFollowing, std::move(offset)};
  tokens_.fail_expected("PRECEDING or FOLLOWING");
}

}  // namespace grappa::query::sql
