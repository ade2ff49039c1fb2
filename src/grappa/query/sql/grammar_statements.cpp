#include <fmt/format.h>

#include <array>

#include "grappa/query/sql/grammar.hpp"
#include "grappa/query/sql/keywords.hpp"

namespace grappa::query::sql {

std::vector<Statement> Grammar::statements() {
  std::vector<Statement> made;
  for (;;) {
    while (tokens_.accept(";")) {
    }
    if (tokens_.at(TokenKind::kEnd)) return made;
    made.push_back(statement());
    if (!tokens_.at_any({";"}) && !tokens_.at(TokenKind::kEnd)) {
      tokens_.fail_behind_alias("a clause or the end of the statement", clause_keywords());
    }
  }
}

Statement Grammar::statement() {
  const Position place = tokens_.position();
  const auto made = [&](auto node) -> Statement { return {std::move(node), place}; };
  if (at_query() || tokens_.at("(")) return made(query());
  if (tokens_.accept("CREATE")) return create(place);
  if (tokens_.accept("INSERT")) return made(insert());
  if (tokens_.accept("UPDATE")) return made(update());
  if (tokens_.accept("DELETE")) return made(delete_rows());
  if (tokens_.accept("DROP")) return made(drop());
  if (tokens_.accept("DESCRIBE") || tokens_.accept("DESC")) {
    const bool is_of_all = tokens_.at(";") || tokens_.at(TokenKind::kEnd);
    return is_of_all ? made(ShowTables{}) : made(Describe{query_or_table()});
  }
  if (tokens_.accept("SHOW")) {
    if (tokens_.at("ALL")) tokens_.fail(place, "SHOW ALL TABLES is not supported; SHOW TABLES is");
    tokens_.expect("TABLES");
    return made(ShowTables{});
  }
  if (tokens_.accept("COPY")) return copy(place);
  if (tokens_.accept("EXPLAIN")) {
    const bool is_analyze = tokens_.accept("ANALYZE");
    if (tokens_.at("EXPLAIN")) tokens_.fail_expected("a statement to explain");
    return made(Box<Explain>(Explain{is_analyze, statement()}));
  }
  if (tokens_.at(TokenKind::kWord) && is_unsupported_statement(tokens_.written())) {
    tokens_.fail(place, fmt::format("{} is not supported", upper(tokens_.written())));
  }
  tokens_.fail_expected("a statement", statement_keywords());
}

/// What follows CREATE.
Statement Grammar::create(Position place) {
  const bool replaces = tokens_.accept({"OR", "REPLACE"});
  // All tables end with the session.
  if (!tokens_.accept("TEMPORARY")) tokens_.accept("TEMP");
  const bool is_view = tokens_.at("VIEW");
  expect_table_or_view("CREATE");
  tokens_.skip();
  const bool if_not_exists = tokens_.accept({"IF", "NOT", "EXISTS"});
  if (replaces && if_not_exists) {
    tokens_.fail(place, "expected OR REPLACE or IF NOT EXISTS, found both");
  }
  TableName name = table_name(is_view ? "a view" : "a table");

  const bool has_aliases = tokens_.at("(") && tokens_.at_any({",", ")"}, 2);
  std::vector<Name> aliases;
  if (has_aliases) aliases = names_in_parentheses("a column");
  if (is_view) {
    tokens_.expect("AS");
    return {CreateView{std::move(name), replaces, if_not_exists, std::move(aliases), query()},
            place};
  }
  CreateTable made{std::move(name), replaces, if_not_exists, {}, std::move(aliases), {}};
  if (has_aliases || !tokens_.at("(")) {
    if (!tokens_.accept("AS")) tokens_.fail_expected(has_aliases ? "AS" : "( or AS");
    made.query = query();
    if (tokens_.at("WITH"))
      tokens_.fail(tokens_.position(), "WITH [NO] DATA is not supported; LIMIT 0 takes no rows");
  } else {
    made.columns = column_definitions();
  }
  return {std::move(made), place};
}

/// Leaves the word where it is.
void Grammar::expect_table_or_view(std::string_view statement) const {
  constexpr std::array<std::string_view, 2> kKinds = {"TABLE", "VIEW"};
  if (tokens_.at_any({"TABLE", "VIEW"})) return;
  for (const std::string_view other :
       {"INDEX", "SCHEMA", "SEQUENCE", "FUNCTION", "MACRO", "TYPE", "DATABASE", "MATERIALIZED",
        "RECURSIVE", "UNIQUE", "TRIGGER", "SECRET", "ROLE", "USER", "EXTENSION"}) {
    if (!tokens_.at(other)) continue;
    tokens_.fail(tokens_.position(), fmt::format("{} {} is not supported", statement, other));
  }
  tokens_.fail_expected("TABLE or VIEW", kKinds);
}

std::vector<ColumnDefinition> Grammar::column_definitions() {
  std::vector<ColumnDefinition> made;
  const auto refuse_constraint = [&] {
    for (const std::string_view constraint : {"PRIMARY KEY", "FOREIGN KEY", "UNIQUE", "CHECK",
                                              "CONSTRAINT", "REFERENCES", "DEFAULT", "GENERATED"}) {
      if (!tokens_.at(constraint.substr(0, constraint.find(' ')))) continue;
      tokens_.fail(tokens_.position(), fmt::format("{} is not supported", constraint));
    }
  };
  tokens_.expect("(");
  do {
    refuse_constraint();
    ColumnDefinition column;
    column.name = tokens_.expect_name("a column");
    column.type = type();
    if (tokens_.accept({"NOT", "NULL"})) {
      column.is_not_null = true;
    } else {
      tokens_.accept("NULL");
    }
    refuse_constraint();
    made.push_back(std::move(column));
  } while (tokens_.accept(","));
  if (!tokens_.accept(")")) tokens_.fail_expected("a comma or )");
  return made;
}

/// What follows INSERT.
Insert Grammar::insert() {
  tokens_.expect("INTO");
  Insert made;
  made.table = table_name("a table");
  if (tokens_.at("(") && !at_query(1)) made.columns = names_in_parentheses("a column");
  if (tokens_.at("DEFAULT")) tokens_.fail(tokens_.position(), "DEFAULT VALUES is not supported");
  made.query = query();
  if (tokens_.at("ON")) tokens_.fail(tokens_.position(), "ON CONFLICT is not supported");
  return made;
}

/// What follows DROP.
Drop Grammar::drop() {
  Drop made;
  made.is_view = tokens_.at("VIEW");
  expect_table_or_view("DROP");
  tokens_.skip();
  made.if_exists = tokens_.accept({"IF", "EXISTS"});
  do made.names.push_back(table_name(made.is_view ? "a view" : "a table"));
  while (tokens_.accept(","));
  return made;
}

TableReference Grammar::changed_table() {
  TableReference made;
  made.position = tokens_.position();
  made.source = table_name("a table");
  if (tokens_.accept("AS")) {
    made.alias = tokens_.expect_label();
  } else if (Name alias; !tokens_.at("SET") && tokens_.accept_bare_alias(alias)) {
    made.alias = std::move(alias);
  }
  return made;
}

/// What follows UPDATE.
Change Grammar::update() {
  Change made{changed_table()};
  tokens_.expect("SET");
  do {
    Name column = tokens_.expect_name("a column");
    tokens_.expect("=");
    made.values.push_back({expression(), std::move(column)});
  } while (tokens_.accept(","));
  if (tokens_.accept("FROM")) made.others = tables();
  if (tokens_.accept("WHERE")) made.where = expression();
  return made;
}

/// What follows DELETE.
Change Grammar::delete_rows() {
  tokens_.expect("FROM");
  Change made{changed_table(), true};
  if (tokens_.accept("USING")) made.others = tables();
  if (tokens_.accept("WHERE")) made.where = expression();
  return made;
}

/// What follows COPY.
Statement Grammar::copy(Position place) {
  if (tokens_.at("(") || at_query() || !tokens_.at_name()) {
    Query query = tokens_.at("(") ? query_in_parentheses() : query_or_table();
    tokens_.expect("TO");
    return {CopyTo{std::move(query), copied_file()}, place};
  }
  const Position table_place = tokens_.position();
  TableName table = table_name("a table");
  std::vector<Name> columns;
  if (tokens_.at("(")) columns = names_in_parentheses("a column");
  if (tokens_.accept("FROM")) {
    CopyFrom made{std::move(table), std::move(columns), copied_file()};
    files_.push_back(made.file.path);
    return {std::move(made), place};
  }
  if (!tokens_.accept("TO")) tokens_.fail_expected("TO or FROM");
  TableReference rows;
  rows.source = std::move(table);
  rows.position = table_place;
  return {CopyTo{rows_of(std::move(rows), columns), copied_file()}, place};
}

CopiedFile Grammar::copied_file() {
  CopiedFile made;
  made.position = tokens_.position();
  if (!tokens_.at(TokenKind::kString)) tokens_.fail_expected("a file in quotes, 'file.csv'");
  made.path = tokens_.take_unquoted();
  if (tokens_.accept("WITH") || tokens_.at("(")) made.options = file_options();
  return made;
}

std::vector<FileOption> Grammar::file_options() {
  std::vector<FileOption> made;
  tokens_.expect("(");
  do {
    FileOption option{tokens_.expect_label(), {LiteralKind::kTrue, ""}};
    // A word is taken as if it were in quotes: FORMAT csv.
    if (tokens_.at_name()) {
      option.value = {LiteralKind::kString, tokens_.expect_name("a value").text};
    } else if (tokens_.at_any({"[", "{"})) {
      option.list = option_list();
    } else if (!tokens_.at_any({",", ")"})) {
      const Expression value = literal_or_name();
      const auto* const literal = std::get_if<Literal>(&value.node);
      if (literal == nullptr) tokens_.fail(value.position, "expected a value of the option");
      option.value = *literal;
    }
    made.push_back(std::move(option));
  } while (tokens_.accept(","));
  if (!tokens_.accept(")")) tokens_.fail_expected("a comma or )");
  return made;
}

TableName Grammar::table_name(std::string_view what) {
  TableName made;
  made.parts.push_back(tokens_.expect_name(what));
  while (tokens_.accept(".")) made.parts.push_back(tokens_.expect_label());
  return made;
}

/// A query; of a table, its rows.
Query Grammar::query_or_table() {
  if (at_query() || tokens_.at("(")) return query();
  return rows_of(simple_table());
}

/// Of these columns, or all.
Query Grammar::rows_of(TableReference table, const std::vector<Name>& columns) {
  const Position place = table.position;
  Select rows;
  for (const Name& column : columns)
    rows.items.push_back({{ColumnReference{{column}}, column.position}, std::nullopt});
  if (columns.empty()) rows.items.push_back({{Star{}, place}, std::nullopt});
  rows.from.push_back(std::move(table));
  Query made;
  made.terms.push_back({std::move(rows), place});
  made.position = place;
  return made;
}

}  // namespace grappa::query::sql
