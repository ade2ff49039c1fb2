#include <fmt/format.h>

#include <array>

#include "grappa/query/sql/grammar.hpp"

namespace grappa::query::sql {

std::vector<TableReference> Grammar::tables() {
  std::vector<TableReference> made;
  do made.push_back(table());
  while (tokens_.accept(","));
  return made;
}

/// A table and what is joined to it.
TableReference Grammar::table() {
  const Level level(*this);
  TableReference made = simple_table();
  join_to(made);
  return made;
}

void Grammar::join_to(TableReference& first) {
  std::vector<JoinStep> steps;
  while (std::optional<JoinStep> step = join_step()) steps.push_back(std::move(*step));
  if (steps.empty()) return;
  const Position place = first.position;
  first = {Join{std::move(first), std::move(steps)}, std::nullopt, {}, place};
  grow();
}

/// What stands before the joined table, JOIN included.
std::optional<JoinKind> Grammar::join_kind() {
  if (tokens_.accept({"SEMI", "JOIN"})) return JoinKind::kSemi;
  if (tokens_.accept({"ANTI", "JOIN"})) return JoinKind::kAnti;
  struct Word {
    std::string_view word;
    JoinKind kind;
  };
  for (const Word& outer : {Word{"LEFT", JoinKind::kLeft}, Word{"RIGHT", JoinKind::kRight},
                            Word{"FULL", JoinKind::kFull}}) {
    if (!tokens_.accept(outer.word)) continue;
    tokens_.accept("OUTER");
    tokens_.expect("JOIN");
    return outer.kind;
  }
  const bool is_cross = tokens_.accept("CROSS");
  if (is_cross || tokens_.accept("INNER")) {
    tokens_.expect("JOIN");
  } else if (!tokens_.accept("JOIN")) {
    return std::nullopt;
  }
  return is_cross ? JoinKind::kCross : JoinKind::kInner;
}

std::optional<JoinStep> Grammar::join_step() {
  JoinStep made;
  made.position = tokens_.position();
  made.is_natural = tokens_.accept("NATURAL");
  const std::optional<JoinKind> kind = join_kind();
  if (!kind && made.is_natural) tokens_.fail_expected("JOIN");
  if (!kind) return std::nullopt;
  if (made.is_natural && *kind == JoinKind::kCross) {
    tokens_.fail(made.position, "expected NATURAL or CROSS, found both");
  }
  made.kind = *kind;
  made.right = simple_table();
  if (made.kind == JoinKind::kCross || made.is_natural) return made;
  // In a JOIN b JOIN c ON … ON … b is not all.
  if (!tokens_.at_any({"ON", "USING"})) {
    const Level level(*this);
    join_to(made.right);
  }
  if (tokens_.accept("ON")) {
    made.condition = expression();
  } else if (tokens_.accept("USING")) {
    made.using_columns = names_in_parentheses("a column");
  } else {
    constexpr std::array<std::string_view, 2> kConditions = {"ON", "USING"};
    tokens_.fail_behind_alias("ON or USING", kConditions);
  }
  return made;
}

TableReference Grammar::simple_table() {
  if (tokens_.at("(")) return parenthesized_table();
  TableReference made;
  made.position = tokens_.position();
  if (tokens_.at(TokenKind::kString)) {
    files_.push_back(tokens_.take_unquoted());
    made.source = FileName{files_.back()};
  } else if (tokens_.accept("LATERAL")) {
    if (tokens_.at("(")) {
      made.source = DerivedTable{query_in_parentheses(), true};
    } else {
      made.source = table_function();  // which sees the tables before it anyway
    }
  } else if (tokens_.at_name() && tokens_.at("(", 1)) {
    made.source = table_function();
  } else {
    made.source = table_name("a table");
  }
  table_alias(made);
  return made;
}

TableReference Grammar::parenthesized_table() {
  const Level level(*this);
  TableReference made;
  made.position = tokens_.position();
  tokens_.expect("(");
  if (at_query()) {
    made.source = DerivedTable{query(), false};
    grow();
  } else {
    TableReference inner = table();
    auto* const derived = std::get_if<DerivedTable>(&inner.source);
    // ((SELECT 1) UNION SELECT 2): what seemed a table is the beginning of a query.
    if (derived != nullptr && !inner.alias && continues_query()) {
      derived->query = query_behind(as_term(std::move(*derived->query)));
    }
    if (inner.alias) {  // (t AS a) is t AS a
      tokens_.expect(")");
      return inner;
    }
    made.source = std::move(inner.source);
  }
  tokens_.expect(")");
  table_alias(made);
  return made;
}

TableFunction Grammar::table_function() {
  TableFunction made;
  made.name = tokens_.expect_name("a function");
  tokens_.expect("(");
  if (tokens_.accept(")")) return made;
  do {
    const Position place = tokens_.position();
    if (tokens_.at_name() && tokens_.at_any({"=", ":=", "=>"}, 1)) {
      Name name = tokens_.expect_name("an argument");
      tokens_.skip();
      made.named_arguments.push_back({.name = std::move(name), .value = {}});
      if (tokens_.at_any({"[", "{"}))
        made.named_arguments.back().list = option_list();
      else
        made.named_arguments.back().value = expression();
    } else if (tokens_.at("[") && made.arguments.empty() && !made.files) {
      made.files = option_list();
      for (const Literal& file : made.files->values) files_.push_back(file.text);
    } else if (made.named_arguments.empty() && !made.files) {
      made.arguments.push_back(expression());
      const auto* const literal = std::get_if<Literal>(&made.arguments.back().node);
      if (literal != nullptr && literal->kind == LiteralKind::kString)
        files_.push_back(literal->text);
    } else {
      tokens_.fail(place, "expected name = value, as the argument before has a name");
    }
  } while (tokens_.accept(","));
  if (!tokens_.accept(")")) tokens_.fail_expected("an operator, a comma or )");
  grow();
  return made;
}

OptionList Grammar::option_list() {
  OptionList made;
  const bool has_keys = tokens_.at("{");
  const std::string_view end = has_keys ? "}" : "]";
  tokens_.skip();
  if (tokens_.accept(end)) return made;
  do {
    if (has_keys) {
      made.keys.push_back(tokens_.at(TokenKind::kString) ? tokens_.take_unquoted()
                                                         : tokens_.expect_label().text);
      tokens_.expect(":");
    }
    const Expression value = literal_or_name();
    const auto* const literal = std::get_if<Literal>(&value.node);
    if (literal == nullptr) tokens_.fail(value.position, "expected a literal, such as 'text'");
    made.values.push_back(*literal);
  } while (tokens_.accept(","));
  if (!tokens_.accept(end)) tokens_.fail_expected(has_keys ? "a comma or }" : "a comma or ]");
  return made;
}

void Grammar::table_alias(TableReference& table) {
  if (tokens_.accept("AS")) {
    table.alias = tokens_.expect_label();
  } else if (Name alias; tokens_.accept_bare_alias(alias)) {
    table.alias = std::move(alias);
  }
  if (table.alias && tokens_.at("(")) table.column_aliases = names_in_parentheses("a column");
}

std::vector<Name> Grammar::names_in_parentheses(std::string_view what) {
  std::vector<Name> made;
  tokens_.expect("(");
  do made.push_back(tokens_.expect_name(what));
  while (tokens_.accept(","));
  if (!tokens_.accept(")")) tokens_.fail_expected("a comma or )");
  return made;
}

}  // namespace grappa::query::sql
