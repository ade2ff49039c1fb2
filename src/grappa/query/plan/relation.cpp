#include "grappa/query/plan/relation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace grappa::query {
namespace {

RelationPtr made(Relation relation) {
  return std::make_shared<const Relation>(std::move(relation));
}

/// As it is on the side of an outer join that may be missing.
ExpressionPtr as_nullable(const ExpressionPtr& of) {
  return column(of->column, of->type, of->name, of->range, true);
}

Expressions joined_columns(JoinKind kind, const Relation& left, const Relation& right,
                           const ExpressionPtr& mark) {
  Expressions columns;
  const auto add = [&](const Relation& side, bool nullable) {
    for (const ExpressionPtr& of : side.columns) columns.push_back(nullable ? as_nullable(of) : of);
  };
  switch (kind) {
    case JoinKind::kInner:
      add(left, false);
      add(right, false);
      break;
    case JoinKind::kLeft:
    case JoinKind::kSingle:
      add(left, false);
      add(right, true);
      break;
    case JoinKind::kFull:
      add(left, true);
      add(right, true);
      break;
    case JoinKind::kRight:
      add(left, true);
      add(right, false);
      break;
    case JoinKind::kSemi:
    case JoinKind::kAnti:
      add(left, false);
      break;
    case JoinKind::kMark:
      add(left, false);
      columns.push_back(mark);
      break;
    case JoinKind::kRightSemi:
    case JoinKind::kRightAnti:
      add(right, false);
      break;
  }
  return columns;
}

ExpressionPtr replaced(const ExpressionPtr& expression, const ReplaceColumn& replace) {
  return expression ? replace_columns(expression, replace) : nullptr;
}
void replace_in(Expressions& expressions, const ReplaceColumn& replace) {
  for (ExpressionPtr& expression : expressions) expression = replace_columns(expression, replace);
}
void replace_in(std::vector<SortItem>& items, const ReplaceColumn& replace) {
  for (SortItem& item : items) item.value = replace_columns(item.value, replace);
}

void indent_line(std::string& text, int indent) {
  text += std::string(static_cast<std::size_t>(indent) * 2, ' ');
}

std::string list_of(const Expressions& expressions) {
  std::string text;
  for (const ExpressionPtr& expression : expressions)
    text += (text.empty() ? "" : ", ") + text_of(*expression);
  return text;
}

}  // namespace

RelationPtr scan(std::shared_ptr<const Table> table, std::string name, ColumnNumbers& numbers) {
  Relation made_of{.kind = RelationKind::kScan};
  for (std::size_t i = 0; i < table->columns.size(); ++i) {
    const Column& of = table->columns[i];
    made_of.columns.push_back(numbers.make(of.type, of.name, of.facts.range, of.facts.has_nulls));
    made_of.table_columns.push_back(i);
  }
  made_of.table = std::move(table);
  made_of.name = std::move(name);
  return made(std::move(made_of));
}

RelationPtr values(std::vector<Expressions> rows, Expressions columns) {
  return made(
      {.kind = RelationKind::kValues, .columns = std::move(columns), .rows = std::move(rows)});
}
RelationPtr single_row() { return values({{}}, {}); }

RelationPtr filter(RelationPtr input, ExpressionPtr condition) {
  if (!condition || condition->is_true()) return input;
  Relation made_of{.kind = RelationKind::kFilter};
  made_of.columns = input->columns;
  made_of.inputs = {std::move(input)};
  made_of.condition = std::move(condition);
  return made(std::move(made_of));
}

RelationPtr project(RelationPtr input, std::vector<Computed> computed) {
  Relation made_of{.kind = RelationKind::kProject};
  made_of.inputs = {std::move(input)};
  for (const Computed& one : computed) made_of.columns.push_back(one.column);
  made_of.computed = std::move(computed);
  return made(std::move(made_of));
}

RelationPtr join(JoinKind kind, RelationPtr left, RelationPtr right, ExpressionPtr condition,
                 ExpressionPtr mark) {
  Relation made_of{.kind = RelationKind::kJoin};
  made_of.columns = joined_columns(kind, *left, *right, mark);
  made_of.inputs = {std::move(left), std::move(right)};
  made_of.condition = condition ? std::move(condition) : constant(Value::boolean(true));
  made_of.join = kind;
  made_of.mark = std::move(mark);
  return made(std::move(made_of));
}

RelationPtr aggregate(RelationPtr input, std::vector<Computed> groups,
                      std::vector<AggregateItem> aggregates) {
  Relation made_of{.kind = RelationKind::kAggregate};
  made_of.inputs = {std::move(input)};
  for (const Computed& group : groups) made_of.columns.push_back(group.column);
  for (const AggregateItem& item : aggregates) made_of.columns.push_back(item.column);
  made_of.computed = std::move(groups);
  made_of.aggregates = std::move(aggregates);
  return made(std::move(made_of));
}

RelationPtr distinct(RelationPtr input, ColumnNumbers& numbers, Expressions* renamed) {
  std::vector<Computed> groups;
  for (const ExpressionPtr& of : input->columns) {
    groups.push_back({numbers.like(*of), of});
    if (renamed != nullptr) renamed->push_back(groups.back().column);
  }
  return aggregate(std::move(input), std::move(groups), {});
}

RelationPtr window(RelationPtr input, std::vector<WindowItem> windows) {
  Relation made_of{.kind = RelationKind::kWindow};
  made_of.columns = input->columns;
  for (const WindowItem& item : windows) made_of.columns.push_back(item.column);
  made_of.inputs = {std::move(input)};
  made_of.windows = std::move(windows);
  return made(std::move(made_of));
}

RelationPtr sort(RelationPtr input, std::vector<SortItem> order) {
  Relation made_of{.kind = RelationKind::kSort};
  made_of.columns = input->columns;
  made_of.inputs = {std::move(input)};
  made_of.order = std::move(order);
  return made(std::move(made_of));
}

RelationPtr limit(RelationPtr input, std::int64_t offset, std::int64_t most) {
  Relation made_of{.kind = RelationKind::kLimit};
  made_of.columns = input->columns;
  made_of.inputs = {std::move(input)};
  made_of.limit = most;
  made_of.offset = offset;
  return made(std::move(made_of));
}

RelationPtr with_inputs(const Relation& relation, std::vector<RelationPtr> inputs) {
  Relation copy = relation;
  copy.inputs = std::move(inputs);
  switch (copy.kind) {
    case RelationKind::kFilter:
    case RelationKind::kSort:
    case RelationKind::kLimit:
      copy.columns = copy.inputs[0]->columns;
      break;
    case RelationKind::kJoin:
      copy.columns = joined_columns(copy.join, *copy.inputs[0], *copy.inputs[1], copy.mark);
      break;
    case RelationKind::kWindow:
      copy.columns = copy.inputs[0]->columns;
      for (const WindowItem& item : copy.windows) copy.columns.push_back(item.column);
      break;
    default:
      break;
  }
  return made(std::move(copy));
}

std::set<ColumnId> columns_of(const Relation& relation) {
  std::set<ColumnId> columns;
  for (const ExpressionPtr& of : relation.columns) columns.insert(of->column);
  return columns;
}

void for_each_expression(const Relation& relation,
                         const std::function<void(const Expression&)>& f) {
  for (const Expressions& row : relation.rows)
    for (const ExpressionPtr& value : row) f(*value);
  if (relation.condition) f(*relation.condition);
  for (const Computed& computed : relation.computed) f(*computed.value);
  for (const AggregateItem& item : relation.aggregates) {
    for (const ExpressionPtr& argument : item.arguments) f(*argument);
    if (item.filter) f(*item.filter);
  }
  for (const WindowItem& item : relation.windows) {
    for (const ExpressionPtr& argument : item.arguments) f(*argument);
    for (const ExpressionPtr& value : item.partition) f(*value);
    for (const SortItem& by : item.order) f(*by.value);
    for (const FrameEnd* const end : {&item.begin, &item.end})
      if (end->offset) f(*end->offset);
    if (item.filter) f(*item.filter);
  }
  for (const SortItem& item : relation.order) f(*item.value);
  for (const Expressions& of_input : relation.given)
    for (const ExpressionPtr& value : of_input) f(*value);
}

std::set<ColumnId> free_columns(const Relation& relation) {
  std::set<ColumnId> used;
  for_each_expression(relation, [&](const Expression& e) { add_columns(e, used); });
  std::set<ColumnId> free;
  for (const RelationPtr& input : relation.inputs)
    for (const ColumnId column : free_columns(*input)) free.insert(column);
  for (const RelationPtr& input : relation.inputs)
    for (const ExpressionPtr& of : input->columns) used.erase(of->column);
  // The condition of a scan is over its own columns.
  if (relation.kind == RelationKind::kScan)
    for (const ExpressionPtr& of : relation.columns) used.erase(of->column);
  free.insert(used.begin(), used.end());
  return free;
}

RelationPtr replace_columns(const RelationPtr& relation, const ReplaceColumn& replace) {
  Relation copy = *relation;
  for (RelationPtr& input : copy.inputs) input = replace_columns(input, replace);
  for (Expressions& row : copy.rows) replace_in(row, replace);
  copy.condition = replaced(copy.condition, replace);
  for (Computed& computed : copy.computed)
    computed.value = replace_columns(computed.value, replace);
  for (AggregateItem& item : copy.aggregates) {
    replace_in(item.arguments, replace);
    item.filter = replaced(item.filter, replace);
  }
  for (WindowItem& item : copy.windows) {
    replace_in(item.arguments, replace);
    replace_in(item.partition, replace);
    replace_in(item.order, replace);
    for (FrameEnd* const end : {&item.begin, &item.end})
      end->offset = replaced(end->offset, replace);
    item.filter = replaced(item.filter, replace);
  }
  replace_in(copy.order, replace);
  for (Expressions& of_input : copy.given) replace_in(of_input, replace);
  return made(std::move(copy));
}

std::string_view name_of(RelationKind kind) {
  switch (kind) {
    case RelationKind::kScan:
      return "scan";
    case RelationKind::kValues:
      return "values";
    case RelationKind::kFilter:
      return "filter";
    case RelationKind::kProject:
      return "project";
    case RelationKind::kJoin:
      return "join";
    case RelationKind::kAggregate:
      return "aggregate";
    case RelationKind::kWindow:
      return "window";
    case RelationKind::kSort:
      return "sort";
    case RelationKind::kLimit:
      return "limit";
    case RelationKind::kUnion:
      return "union all";
    case RelationKind::kIntersect:
      return "intersect";
    case RelationKind::kExcept:
      return "except";
    case RelationKind::kShared:
      return "shared";
    case RelationKind::kFixpoint:
      return "fixpoint";
    case RelationKind::kRecurring:
      return "recurring";
  }
  __builtin_unreachable();
}

std::string_view name_of(JoinKind kind) {
  switch (kind) {
    case JoinKind::kInner:
      return "inner";
    case JoinKind::kLeft:
      return "left";
    case JoinKind::kFull:
      return "full";
    case JoinKind::kSemi:
      return "semi";
    case JoinKind::kAnti:
      return "anti";
    case JoinKind::kMark:
      return "mark";
    case JoinKind::kSingle:
      return "single";
    case JoinKind::kRight:
      return "right";
    case JoinKind::kRightSemi:
      return "right semi";
    case JoinKind::kRightAnti:
      return "right anti";
  }
  __builtin_unreachable();
}

std::string tree_of(const RelationPtr& of, const RelationNote& note, int indent) {
  const Relation& relation = *of;
  std::string text;
  indent_line(text, indent);
  if (relation.kind == RelationKind::kJoin) text += fmt::format("{} ", name_of(relation.join));
  text += name_of(relation.kind);
  switch (relation.kind) {
    case RelationKind::kScan:
      text += fmt::format(" {} ({})", relation.name, list_of(relation.columns));
      break;
    case RelationKind::kValues:
      text += fmt::format(" ({} rows)", relation.rows.size());
      break;
    case RelationKind::kProject:
    case RelationKind::kAggregate: {
      Expressions values;
      for (const Computed& computed : relation.computed) values.push_back(computed.value);
      text += fmt::format(" {}", list_of(values));
      for (const AggregateItem& item : relation.aggregates)
        text += fmt::format("; {}({}{})", item.function, item.distinct ? "DISTINCT " : "",
                            item.arguments.empty() ? "*" : list_of(item.arguments));
      break;
    }
    case RelationKind::kSort: {
      for (const SortItem& item : relation.order)
        text += fmt::format("{} {}{}", &item == relation.order.data() ? "" : ",",
                            text_of(*item.value), item.descending ? " DESC" : "");
      if (relation.limit != INT64_MAX) text += fmt::format("; first {}", relation.limit);
      break;
    }
    case RelationKind::kLimit:
      text += fmt::format(" {} offset {}", relation.limit, relation.offset);
      break;
    default:
      break;
  }
  if (relation.condition && !relation.condition->is_true())
    text += fmt::format(" {}", text_of(*relation.condition));
  if (note) text += note(of);
  text += "\n";
  for (const RelationPtr& input : relation.inputs) text += tree_of(input, note, indent + 1);
  return text;
}

std::int64_t rows_to_scan(const RelationPtr& relation) {
  // What several operators share is computed once.
  std::set<const Relation*> seen;
  const auto add = [&](const auto& self, const RelationPtr& of) -> std::int64_t {
    if (!seen.insert(of.get()).second) return 0;
    std::int64_t rows = 0;
    if (of->table)
      for (const Block& block : of->table->blocks) rows += static_cast<std::int64_t>(block.rows);
    for (const RelationPtr& input : of->inputs) rows += self(self, input);
    return rows;
  };
  return add(add, relation);
}

}  // namespace grappa::query
