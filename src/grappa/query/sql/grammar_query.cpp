#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grappa/query/sql/grammar.hpp"
#include "grappa/query/sql/parser.hpp"

namespace grappa::query::sql {
namespace {

constexpr std::array<std::string_view, 5> kQueryKeywords = {"SELECT", "WITH", "FROM", "VALUES",
                                                            "TABLE"};

/// Whether it is nothing but its terms.
bool is_bare(const Query& query) {
  return query.with.empty() && query.order_by.empty() && !query.limit && !query.offset;
}

}  // namespace

Grammar::Level::Level(Grammar& grammar)
    : grammar_(grammar), outer_height_(std::exchange(grammar.height_, 0)) {
  ++grammar_.depth_;
  grammar_.check_levels();
}

Grammar::Level::~Level() {
  --grammar_.depth_;
  grammar_.height_ = std::max(grammar_.height_, outer_height_);
}

void Grammar::grow() {
  ++height_;
  check_levels();
}

void Grammar::check_levels() const {
  if (depth_ + height_ <= kMostLevels) return;
  tokens_.fail(tokens_.position(), fmt::format("nested more than {} levels deep", kMostLevels));
}

/// Whether a query begins with the token there.
bool Grammar::at_query(std::size_t ahead) const {
  return tokens_.at_any({"SELECT", "WITH", "FROM", "TABLE"}, ahead) ||
         (tokens_.at("VALUES", ahead) && tokens_.at("(", ahead + 1));
}

/// Whether what has been taken in parentheses is a part of a query that goes on.
bool Grammar::continues_query() const {
  return tokens_.at_any({"UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET", "FETCH"});
}

/// A query as part of another, without parentheses that make no difference.
QueryTerm Grammar::as_term(Query query) {
  if (is_bare(query) && query.terms.size() == 1) return std::move(query.terms[0]);
  const Position place = query.position;
  return {Box<Query>(std::move(query)), place};
}

Query Grammar::query() {
  const Level level(*this);
  const Position place = tokens_.position();
  bool is_recursive = false;
  std::vector<CommonTable> with;
  if (tokens_.accept("WITH")) {
    is_recursive = tokens_.accept("RECURSIVE");
    with = common_tables();
  }
  Query made = query_behind(term());
  if (with.empty()) return made;
  if (!made.with.empty()) {  // of a query that was in parentheses
    Query outer;
    outer.terms.push_back(as_term(std::move(made)));
    made = std::move(outer);
  }
  made.is_recursive = is_recursive;
  made.with = std::move(with);
  made.position = place;
  return made;
}

std::vector<CommonTable> Grammar::common_tables() {
  std::vector<CommonTable> made;
  do {
    CommonTable table;
    table.name = tokens_.expect_name("a table");
    if (tokens_.at("(")) table.columns = names_in_parentheses("a column");
    tokens_.expect("AS");
    // Whether a common table is computed once is for the optimizer to find out.
    if (!tokens_.accept({"NOT", "MATERIALIZED"})) tokens_.accept("MATERIALIZED");
    table.query = query_in_parentheses();
    for (const std::string_view clause : {"SEARCH", "CYCLE"}) {
      if (!tokens_.at(clause)) continue;
      tokens_.fail(tokens_.position(),
                   fmt::format("{} of recursive queries is not supported", clause));
    }
    made.push_back(std::move(table));
  } while (tokens_.accept(","));
  grow();
  return made;
}

/// A query whose first term has been taken.
Query Grammar::query_behind(QueryTerm first) {
  Query made = intersections(std::move(first));
  if (tokens_.at_any({"UNION", "EXCEPT"})) {
    Query outer;
    outer.position = made.position;
    outer.terms.push_back(as_term(std::move(made)));
    while (tokens_.at_any({"UNION", "EXCEPT"})) {
      outer.operations.push_back(
          set_operation(tokens_.at("UNION") ? SetOperator::kUnion : SetOperator::kExcept));
      outer.terms.push_back(as_term(intersections(term())));
    }
    made = std::move(outer);
  }
  const bool is_ordered = tokens_.at_any({"ORDER", "LIMIT", "OFFSET", "FETCH"});
  auto* const inner = std::get_if<Box<Query>>(&made.terms[0].node);
  if (made.terms.size() == 1 && inner != nullptr && (!is_ordered || is_bare(**inner))) {
    made = Query(std::move(**inner));
  }
  order_and_limit(made);
  grow();
  return made;
}

Query Grammar::intersections(QueryTerm first) {
  Query made;
  made.position = first.position;
  made.terms.push_back(std::move(first));
  while (tokens_.at("INTERSECT")) {
    made.operations.push_back(set_operation(SetOperator::kIntersect));
    made.terms.push_back(term());
  }
  return made;
}

/// The operator and what says whether equal rows stay.
SetOperation Grammar::set_operation(SetOperator op) {
  SetOperation made{op, false, tokens_.position()};
  tokens_.skip();
  made.is_all = tokens_.accept("ALL");
  if (!made.is_all) tokens_.accept("DISTINCT");
  if (tokens_.at("BY")) tokens_.fail(tokens_.position(), "BY NAME is not supported");
  return made;
}

void Grammar::order_and_limit(Query& query) {
  if (tokens_.at("ORDER")) query.order_by = order_items();
  for (;;) {
    if (!query.limit && tokens_.accept("LIMIT")) {
      if (tokens_.accept("ALL")) continue;
      const bool is_percent = tokens_.at("%", 1) && (tokens_.at(TokenKind::kEnd, 2) ||
                                                     tokens_.at_any({";", ")", "OFFSET"}, 2));
      if (!is_percent) query.limit = expression();
      if (is_percent || tokens_.at("PERCENT"))
        tokens_.fail(tokens_.position(), "LIMIT … PERCENT is not supported");
    } else if (!query.offset && tokens_.accept("OFFSET")) {
      query.offset = expression();
      if (!tokens_.accept("ROWS")) tokens_.accept("ROW");
    } else if (!query.limit && tokens_.accept("FETCH")) {
      query.limit = fetch();
    } else {
      return;
    }
  }
}

/// What follows FETCH.
Box<Expression> Grammar::fetch() {
  if (!tokens_.accept("FIRST")) tokens_.expect("NEXT");
  const Position place = tokens_.position();
  Expression count = tokens_.at_any({"ROW", "ROWS"})
                         ? Expression{Literal{LiteralKind::kInteger, "1"}, place}
                         : expression(Precedence::kAdditive);
  if (!tokens_.accept("ROWS")) tokens_.expect("ROW");
  if (tokens_.at("WITH")) tokens_.fail(tokens_.position(), "FETCH … WITH TIES is not supported");
  tokens_.expect("ONLY");
  return count;
}

QueryTerm Grammar::term() {
  const Position place = tokens_.position();
  if (tokens_.at_any({"SELECT", "FROM"})) return {select(), place};
  if (tokens_.at("VALUES")) return {values(), place};
  if (tokens_.at("(")) return as_term(query_in_parentheses());
  if (!tokens_.accept("TABLE")) tokens_.fail_expected("a query", kQueryKeywords);
  Select made;
  made.items.push_back({{Star{}, place}, std::nullopt});
  made.from.push_back({table_name("a table"), std::nullopt, {}, place});
  return {std::move(made), place};
}

Values Grammar::values() {
  tokens_.expect("VALUES");
  Values made;
  do {
    const Position place = tokens_.position();
    tokens_.expect("(");
    made.rows.push_back(expressions());
    tokens_.expect(")");
    const std::size_t first = made.rows[0].size();
    const std::size_t here = made.rows.back().size();
    if (here != first) {
      tokens_.fail(
          place, fmt::format("expected a row of {} values like the first, found {}", first, here));
    }
  } while (tokens_.accept(","));
  return made;
}

Select Grammar::select() {
  Select made;
  const Position place = tokens_.position();
  const bool is_from_first = tokens_.accept("FROM");
  if (is_from_first) made.from = tables();
  if (tokens_.accept("SELECT")) {
    select_list(made);
  } else {
    made.items.push_back({{Star{}, place}, std::nullopt});
  }
  if (!is_from_first && tokens_.accept("FROM")) made.from = tables();
  if (tokens_.accept("WHERE")) made.where = expression();
  if (tokens_.accept("GROUP")) {
    tokens_.expect("BY");
    made.groups_by_all = tokens_.accept("ALL");
    if (!made.groups_by_all) made.group_by = grouping_elements();
  }
  if (tokens_.accept("HAVING")) made.having = expression();
  if (tokens_.accept("WINDOW")) {
    do {
      Name name = tokens_.expect_name("a window");
      tokens_.expect("AS");
      made.windows.push_back({std::move(name), window()});
    } while (tokens_.accept(","));
  }
  if (tokens_.accept("QUALIFY")) made.qualify = expression();
  if (tokens_.at("USING") && tokens_.at("SAMPLE", 1))
    tokens_.fail(tokens_.position(), "USING SAMPLE is not supported");
  return made;
}

/// What follows SELECT.
void Grammar::select_list(Select& select) {
  if (tokens_.accept("DISTINCT")) {
    select.is_distinct = true;
    if (tokens_.accept("ON")) {
      tokens_.expect("(");
      select.distinct_on = expressions();
      tokens_.expect(")");
    }
  } else {
    tokens_.accept("ALL");
  }
  do {
    if (!select.items.empty() && tokens_.at("FROM")) return;  // a comma behind the last
    const Position place = tokens_.position();
    SelectItem item;
    if (tokens_.at_name() && tokens_.at(":", 1))
      tokens_.fail(place, "a name in front of a value (name: value) is not supported; AS is");
    if (tokens_.accept("*")) {
      item.value = {star({}), place};
    } else {
      item.value = expression();
      if (std::holds_alternative<Star>(item.value.node)) {
        // t.* has no other name.
      } else if (tokens_.accept("AS")) {
        item.alias = tokens_.expect_label();
      } else if (Name alias; tokens_.accept_bare_alias(alias)) {
        item.alias = std::move(alias);
      }
    }
    select.items.push_back(std::move(item));
  } while (tokens_.accept(","));
}

std::vector<GroupingElement> Grammar::grouping_elements() {
  std::vector<GroupingElement> made;
  do made.push_back(grouping_element());
  while (tokens_.accept(","));
  return made;
}

GroupingElement Grammar::grouping_element() {
  const Level level(*this);
  GroupingElement made;
  made.position = tokens_.position();
  if (tokens_.accept({"(", ")"})) return made;
  if (tokens_.accept({"ROLLUP", "("})) {
    made.kind = GroupingKind::kRollup;
  } else if (tokens_.accept({"CUBE", "("})) {
    made.kind = GroupingKind::kCube;
  } else if (tokens_.accept({"GROUPING", "SETS", "("})) {
    made.kind = GroupingKind::kGroupingSets;
  } else {
    Expression value = expression();
    if (auto* const row = std::get_if<Row>(&value.node)) {
      made.expressions = std::move(row->values);
    } else {
      made.expressions.push_back(std::move(value));
    }
    return made;
  }
  made.elements = grouping_elements();
  tokens_.expect(")");
  grow();
  return made;
}

/// ORDER BY … of a query, a window or an aggregate.
std::vector<OrderItem> Grammar::order_items() {
  tokens_.expect("ORDER");
  tokens_.expect("BY");
  std::vector<OrderItem> made;
  do {
    const Position place = tokens_.position();
    OrderItem item;
    if (tokens_.accept("ALL") || tokens_.accept("*")) {
      item.value = {Star{}, place};
    } else {
      item.value = expression();
    }
    item.is_descending = tokens_.accept("DESC");
    if (!item.is_descending) tokens_.accept("ASC");
    if (tokens_.accept({"NULLS", "FIRST"})) {
      item.nulls_first = true;
    } else if (tokens_.accept({"NULLS", "LAST"})) {
      item.nulls_first = false;
    }
    made.push_back(std::move(item));
  } while (tokens_.accept(","));
  return made;
}

}  // namespace grappa::query::sql
