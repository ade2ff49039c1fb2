#include "grappa/query/sql/binder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "grappa/query/expression/evaluator.hpp"
#include "grappa/query/plan/decorrelate.hpp"
#include "grappa/query/sql/bind_expression.hpp"
#include "grappa/query/sql/bind_groups.hpp"
#include "grappa/query/sql/bind_join.hpp"
#include "grappa/query/sql/scope.hpp"
#include "grappa/query/sql/select_parts.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/sql/table_functions.hpp"
#include "grappa/query/sql/to_text.hpp"

namespace grappa::query::sql {
namespace {

constexpr int kMostRelations = 2000;

/// What WITH names: computed once, and shown to each who names it under other numbers.
struct Named {
  std::string name;
  RelationPtr shared{};
  Expressions columns{};
  std::vector<std::string> names{};
};

class Binder {
 public:
  Binder(std::string_view text, const Catalog& catalog, ColumnNumbers& numbers)
      : catalog_(catalog), context_{text, numbers, [this](const Query& query, const Scope& scope) {
                                      return bind_query(query, &scope);
                                    }} {}

  BoundQuery bind_query(const Query& query, const Scope* around) {
    const std::size_t known = with_.size();
    for (const CommonTable& common : query.with) {
      for (std::size_t i = known; i < with_.size(); ++i)
        if (equal_folded(with_[i].name, common.name.text))
          fail(common.name.position, fmt::format("WITH has {} twice", common.name.text));
      bind_common(common, query.is_recursive, around);
    }
    BoundQuery bound = bind_body(query, around);
    with_.resize(known);
    if (depth_of(bound.relation) > kMostRelations) fail_too_deep(query.position);
    return bound;
  }

 private:
  std::string_view text() const { return context_.text; }
  ColumnNumbers& numbers() { return context_.numbers; }
  [[noreturn]] void fail(Position position, const std::string& message) const {
    throw SyntaxError(text(), position, message);
  }

  // ---- Depth: what plans, executes and ends a query recurs over its relations

  [[noreturn]] void fail_too_deep(Position position) const {
    fail(position,
         fmt::format("more than {} joins, sets and other operators, each on top of the one before",
                     kMostRelations));
  }

  int depth_of(const RelationPtr& relation) {
    const auto known = depths_.find(relation);
    if (known != depths_.end()) return known->second;
    int below = 0;
    for (const RelationPtr& input : relation->inputs) below = std::max(below, depth_of(input));
    return depths_[relation] = below + 1;
  }

  // ---- WITH

  void bind_common(const CommonTable& common, bool recursive, const Scope* around) {
    Named named{.name = common.name.text};
    const bool is_fixpoint = recursive && refers_to(common.query, common.name);
    BoundQuery bound =
        is_fixpoint ? bind_fixpoint(common, around) : bind_query(common.query, around);
    rename(bound, common.columns);
    Relation shared{.kind = RelationKind::kShared, .inputs = {bound.relation}};
    shared.columns = bound.relation->columns;
    shared.name = common.name.text;
    named.shared = std::make_shared<const Relation>(std::move(shared));
    named.columns = bound.columns;
    named.names = bound.names;
    with_.push_back(std::move(named));
  }

  void rename(BoundQuery& bound, const std::vector<Name>& names) const {
    if (names.size() > bound.names.size())
      fail(names[bound.names.size()].position,
           fmt::format("{} names for {} columns", names.size(), bound.names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) bound.names[i] = names[i].text;
  }

  static bool refers_to(const Query& query, const Name& name) {
    // By the text of the query: names in strings only make a fixpoint of what is none.
    const std::string all = folded(to_text(query));
    return all.find(folded(name.text)) != std::string::npos;
  }

  BoundQuery bind_fixpoint(const CommonTable& common, const Scope* around) {
    const Query& query = common.query;
    if (query.terms.size() != 2 || query.operations[0].op != SetOperator::kUnion)
      fail(query.position,
           fmt::format("the recursive {} has to be a query, UNION [ALL], and one that "
                       "refers to it",
                       common.name.text));
    BoundQuery first = bind_term(query.terms[0], {}, around);
    rename(first, common.columns);
    // The recursive part sees the columns of the first, of the types that both have.
    Expressions columns;
    for (std::size_t i = 0; i < first.columns.size(); ++i)
      columns.push_back(numbers().make(first.columns[i]->type, first.names[i]));
    Relation recurring{.kind = RelationKind::kRecurring};
    for (const ExpressionPtr& of : columns) recurring.columns.push_back(numbers().like(*of));
    recurring.name = common.name.text;
    Named named{.name = common.name.text,
                .shared = std::make_shared<const Relation>(recurring),
                .columns = recurring.columns,
                .names = first.names};
    with_.push_back(named);
    BoundQuery next = bind_term(query.terms[1], {}, around);
    with_.pop_back();
    if (next.columns.size() != columns.size())
      fail(query.operations[0].position,
           fmt::format("UNION of {} and {} columns", columns.size(), next.columns.size()));
    Relation fixpoint{.kind = RelationKind::kFixpoint};
    fixpoint.name = common.name.text;
    fixpoint.inputs = {first.relation, next.relation, named.shared};
    fixpoint.columns = columns;
    fixpoint.all = query.operations[0].is_all;
    Expressions casted;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Type type = columns[i]->type;
      casted.push_back(cast(next.columns[i], type));
    }
    fixpoint.given = {first.columns, casted};
    return {std::make_shared<const Relation>(std::move(fixpoint)), columns, first.names};
  }

  // ---- UNION …, ORDER BY, LIMIT

  BoundQuery bind_body(const Query& query, const Scope* around) {
    BoundQuery bound;
    if (query.terms.size() == 1) {
      bound = bind_term(query.terms[0], query.order_by, around);
    } else {
      bound = bind_sets(query, around);
      if (!query.order_by.empty()) bound.relation = order_by_output(bound, query.order_by, around);
    }
    bind_limit(query, bound);
    return bound;
  }

  BoundQuery bind_sets(const Query& query, const Scope* around) {
    const std::span operations(query.operations);
    BoundQuery left = bind_term(query.terms[0], {}, around);
    for (std::size_t i = 0; i < operations.size();) {
      const auto chain = operations.subspan(i, length_of_chain(operations.subspan(i)));
      std::vector<BoundQuery> parts{std::move(left)};
      for (std::size_t k = 0; k < chain.size(); ++k)
        parts.push_back(bind_term(query.terms[++i], {}, around));
      left = combine(parts, chain);
      if (depth_of(left.relation) > kMostRelations) fail_too_deep(chain.back().position);
    }
    return left;
  }

  /// How many of the operations, from the first on, are done by one relation: UNIONs up to the last
  /// that leaves equal rows out, or all where none does.
  static std::size_t length_of_chain(std::span<const SetOperation> operations) {
    const auto is_union = [](const SetOperation& by) { return by.op == SetOperator::kUnion; };
    const auto end = std::ranges::find_if_not(operations, is_union);
    const auto last_distinct = std::find_if(std::reverse_iterator(end), operations.rend(),
                                            [](const SetOperation& by) { return !by.is_all; });
    const auto length =
        (last_distinct == operations.rend() ? end : last_distinct.base()) - operations.begin();
    return std::max<std::size_t>(1, length);
  }

  BoundQuery combine(const std::vector<BoundQuery>& parts, std::span<const SetOperation> chain) {
    const BoundQuery& first = parts.front();
    const SetOperation& last = chain.back();
    Relation made{.kind = last.op == SetOperator::kUnion       ? RelationKind::kUnion
                          : last.op == SetOperator::kIntersect ? RelationKind::kIntersect
                                                               : RelationKind::kExcept};
    made.all = last.is_all;
    for (std::size_t k = 1; k < parts.size(); ++k) {
      if (parts[k].columns.size() != first.columns.size())
        fail(chain[k - 1].position, fmt::format("the queries have {} and {} columns",
                                                first.columns.size(), parts[k].columns.size()));
    }
    for (const BoundQuery& part : parts) made.inputs.push_back(part.relation);
    made.given.resize(parts.size());
    for (std::size_t i = 0; i < first.columns.size(); ++i) {
      const Type type = type_of_column(parts, i, chain);
      bool nullable = false;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        made.given[k].push_back(cast(parts[k].columns[i], type));
        nullable |= parts[k].columns[i]->nullable;
      }
      made.columns.push_back(numbers().make(type, first.names[i], {}, nullable));
    }
    BoundQuery bound{std::make_shared<const Relation>(made), made.columns, first.names};
    if (last.op == SetOperator::kUnion && !last.is_all) {
      Expressions renamed;
      bound.relation = distinct(bound.relation, numbers(), &renamed);
      bound.columns = renamed;
    }
    return bound;
  }

  /// That which holds the values of all parts.
  Type type_of_column(const std::vector<BoundQuery>& parts, std::size_t column,
                      std::span<const SetOperation> chain) const {
    Type all = parts.front().columns[column]->type;
    for (std::size_t k = 1; k < parts.size(); ++k) {
      const Type& type = parts[k].columns[column]->type;
      const auto both = common_type(all, type);
      if (!both)
        fail(chain[k - 1].position,
             fmt::format("column {} is of {} and of {}", column + 1, name_of(all), name_of(type)));
      all = *both;
    }
    return all;
  }

  /// By names and numbers of the columns of the result.
  RelationPtr order_by_output(const BoundQuery& bound, const std::vector<OrderItem>& items,
                              const Scope* around) {
    Scope scope(around);
    Scope::NamedTable table;
    for (std::size_t i = 0; i < bound.columns.size(); ++i)
      table.columns.push_back({bound.names[i], bound.columns[i], false});
    scope.add(std::move(table));
    ExpressionBinder binder(context_, scope, "ORDER BY");
    std::vector<query::SortItem> order;
    for (const OrderItem& item : items) {
      if (std::holds_alternative<Star>(item.value.node)) {
        for (const ExpressionPtr& of : bound.columns) order.push_back(sort_item(of, item));
      } else if (const auto place = position_of(item.value, bound.columns.size(), text())) {
        order.push_back(sort_item(bound.columns[*place], item));
      } else {
        order.push_back(sort_item(binder.bind(item.value), item));
      }
    }
    return sort(bound.relation, std::move(order));
  }

  static query::SortItem sort_item(ExpressionPtr value, const OrderItem& item) {
    // As PostgreSQL: NULLs are greater than all values.
    return {std::move(value), item.is_descending, item.nulls_first.value_or(item.is_descending)};
  }

  Value constant_of(ExpressionBinder& binder, const Expression& expression) const {
    try {
      return evaluate_constant(cast(binder.bind(expression), kInt64));
    } catch (const SyntaxError&) {
      throw;
    } catch (const UsageError& error) {
      fail(expression.position, error.what());
    }
  }

  void bind_limit(const Query& query, BoundQuery& bound) {
    if (!query.limit && !query.offset) return;
    const auto number = [&](const Expression& expression) -> std::int64_t {
      const Scope none(nullptr);
      ExpressionBinder binder(context_, none, "LIMIT");
      const Value found = constant_of(binder, expression);
      if (found.is_null()) return INT64_MAX;
      if (found.integer() < 0) fail(expression.position, "a number from 0 on was expected");
      return static_cast<std::int64_t>(found.integer());
    };
    const std::int64_t most = query.limit ? number(*query.limit) : INT64_MAX;
    std::int64_t offset = query.offset ? number(*query.offset) : 0;
    if (offset == INT64_MAX) offset = 0;
    bound.relation = limit(bound.relation, offset, most);
  }

  BoundQuery bind_term(const QueryTerm& term, const std::vector<OrderItem>& order_by,
                       const Scope* around) {
    if (const auto* select = std::get_if<Select>(&term.node))
      return bind_select(*select, order_by, around);
    BoundQuery bound;
    if (const auto* rows = std::get_if<Values>(&term.node)) {
      bound = bind_values(*rows, around, term.position);
    } else {
      bound = bind_query(*std::get<Box<Query>>(term.node), around);
    }
    if (!order_by.empty()) bound.relation = order_by_output(bound, order_by, around);
    return bound;
  }

  BoundQuery bind_values(const Values& node, const Scope* around, Position position) {
    const Scope scope(around);
    ExpressionBinder binder(context_, scope, "VALUES");
    std::vector<Expressions> rows;
    for (const std::vector<Expression>& row : node.rows) {
      if (row.size() != node.rows[0].size())
        fail(row.empty() ? position : row[0].position,
             fmt::format("a row of {} values was expected", node.rows[0].size()));
      rows.emplace_back();
      for (const Expression& value : row) rows.back().push_back(binder.bind(value));
    }
    BoundQuery bound;
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
      Type type;
      bool nullable = false;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto common = common_type(type, rows[r][i]->type);
        if (!common)
          fail(node.rows[r][i].position, fmt::format("{} was expected, this is of type {}",
                                                     name_of(type), name_of(rows[r][i]->type)));
        type = *common;
        nullable |= rows[r][i]->nullable;
      }
      for (Expressions& row : rows) row[i] = cast(row[i], type);
      bound.names.push_back(fmt::format("column{}", i + 1));
      bound.columns.push_back(numbers().make(type, bound.names.back(), {}, nullable));
    }
    bound.relation = binder.attach_subqueries(values(std::move(rows), bound.columns));
    return bound;
  }

  // ---- FROM

  /// The columns of a relation under other numbers, so that it can be there twice.
  RelationPtr renumbered(const RelationPtr& relation, const Expressions& columns,
                         Expressions& fresh) {
    std::vector<Computed> computed;
    for (const ExpressionPtr& of : columns) {
      computed.push_back({numbers().like(*of), of});
      fresh.push_back(computed.back().column);
    }
    return project(relation, std::move(computed));
  }

  using Source = FromSource;

  Source named_source(RelationPtr relation, const Expressions& columns,
                      std::vector<std::string> names, const TableReference& reference,
                      const std::string& table, const Scope* around) {
    if (reference.column_aliases.size() > names.size())
      fail(reference.column_aliases[names.size()].position,
           fmt::format("{} names for {} columns", reference.column_aliases.size(), names.size()));
    for (std::size_t i = 0; i < reference.column_aliases.size(); ++i)
      names[i] = reference.column_aliases[i].text;
    Scope::NamedTable named{.name = reference.alias ? reference.alias->text : table};
    for (std::size_t i = 0; i < names.size(); ++i)
      named.columns.push_back({names[i], columns[i], false});
    Source made{std::move(relation), Scope(around)};
    made.scope.add(std::move(named));
    return made;
  }

  Source bind_table(const std::shared_ptr<const Table>& table, const std::string& name,
                    const TableReference& reference, const Scope* around) {
    const RelationPtr relation = scan(table, name, numbers());
    std::vector<std::string> names;
    for (const query::Column& of : table->columns) names.push_back(of.name);
    Source made = named_source(relation, relation->columns, names, reference, name, around);
    made.scope.tables().back().left_out = table->left_out;
    return made;
  }

  Source bind_query_source(const BoundQuery& bound, const TableReference& reference,
                           const std::string& name, const Scope* around) {
    Expressions fresh;
    const RelationPtr relation = renumbered(bound.relation, bound.columns, fresh);
    return named_source(relation, fresh, bound.names, reference, name, around);
  }

  Source bind_reference(const TableReference& reference, const Scope* around,
                        const Scope* lateral) {
    if (const auto* named = std::get_if<TableName>(&reference.source))
      return bind_named(*named, reference, around);
    if (const auto* file = std::get_if<FileName>(&reference.source))
      return bind_table(catalog_.open_file({.paths = {file->path}}), table_name(file->path),
                        reference, around);
    if (const auto* function = std::get_if<TableFunction>(&reference.source)) {
      const FunctionTable made = table_of(*function, context_, catalog_);
      Source source = bind_table(made.table, made.name, reference, around);
      // FROM generate_series(1, 9) AS x names its column, too.
      if (made.is_values && reference.alias && reference.column_aliases.empty())
        source.scope.tables().back().columns[0].name = reference.alias->text;
      return source;
    }
    if (const auto* derived = std::get_if<DerivedTable>(&reference.source)) {
      const Scope* const outer = derived->is_lateral && lateral != nullptr ? lateral : around;
      return bind_query_source(bind_query(*derived->query, outer), reference, "", around);
    }
    return bind_join(std::get<Join>(reference.source), around, lateral);
  }

  Source bind_named(const TableName& named, const TableReference& reference, const Scope* around) {
    const Name& name = named.parts.back();
    if (named.parts.size() == 1) {
      for (std::size_t i = with_.size(); i-- > 0;) {
        if (!equal_folded(with_[i].name, name.text)) continue;
        return bind_query_source({with_[i].shared, with_[i].columns, with_[i].names}, reference,
                                 name.text, around);
      }
    }
    const std::string key = folded(name.text);
    const auto table = catalog_.tables.find(key);
    if (table != catalog_.tables.end())
      return bind_table(table->second, name.text, reference, around);
    const auto view = catalog_.views.find(key);
    if (view == catalog_.views.end()) {
      std::vector<std::string> known;
      for (const auto& [one, of] : catalog_.tables) known.push_back(one);
      for (const auto& [one, of] : catalog_.views) known.push_back(one);
      if (named.parts.size() > 1) {
        std::string path;
        for (const Name& part : named.parts) path += path.empty() ? part.text : "." + part.text;
        fail(reference.position,
             fmt::format("there is no table {0}; a file is named in quotes: '{0}'", path));
      }
      fail(reference.position,
           fmt::format("there is no table {}{}", name.text, suggestion(name.text, known)));
    }
    if (context_.depth_of_views > 100)
      fail(reference.position, "views refer to one another without end");
    // A view sees nothing of where it is used.
    std::vector<Named> around_with = std::exchange(with_, {});
    ++context_.depth_of_views;
    BoundQuery bound = bind_query(view->second.query, nullptr);
    --context_.depth_of_views;
    with_ = std::move(around_with);
    rename(bound, view->second.column_aliases);
    return bind_query_source(bound, reference, name.text, around);
  }

  Source bind_join(const Join& node, const Scope* around, const Scope* lateral) {
    Source left = bind_reference(*node.first, around, lateral);
    JoinBinder binder(context_, around);
    for (const JoinStep& step : node.steps) {
      Source right = bind_reference(step.right, around, &left.scope);
      require_new_names(left.scope, right.scope, step.right, text());
      left = binder.join(std::move(left), std::move(right), step);
    }
    return left;
  }

  Source bind_from(const Select& select, const Scope* around) {
    Source all{single_row(), Scope(around)};
    for (const TableReference& reference : select.from) {
      Source next = bind_reference(reference, around, &all.scope);
      require_new_names(all.scope, next.scope, reference, text());
      all.relation = select.from.data() == &reference
                         ? next.relation
                         : dependent_join(query::JoinKind::kInner, all.relation, next.relation,
                                          nullptr, nullptr, numbers());
      all.scope.add_all(next.scope);
    }
    return all;
  }

  // ---- SELECT

  using Item = SelectItemValue;
  using Parts = SelectParts;

  BoundQuery bind_select(const Select& select, const std::vector<OrderItem>& order_by,
                         const Scope* around) {
    Source from = bind_from(select, around);
    RelationPtr relation = from.relation;
    if (select.where) {
      ExpressionBinder binder(context_, from.scope, "WHERE");
      relation = binder.bind_where(*select.where, relation);
    }
    Parts parts;
    const auto grouped = [&] {
      return !parts.aggregates.items.empty() || !parts.aggregates.groupings.empty() ||
             !select.group_by.empty() || select.groups_by_all || select.having;
    };
    bind_items(select, from.scope, parts);
    const auto output_name = [&](const ColumnReference& reference) -> ExpressionPtr {
      if (reference.parts.size() != 1) return nullptr;
      for (const Item& item : parts.items)
        if (equal_folded(item.name, reference.parts[0].text)) return item.value;
      return nullptr;
    };
    const auto output_name_unless_column = [&](const ColumnReference& reference) -> ExpressionPtr {
      return from.scope.find_here(reference, text()) ? nullptr : output_name(reference);
    };
    const auto clause = [&](std::string_view name, const auto& alias) {
      ExpressionBinder binder(context_, from.scope, name);
      binder.allow_aggregates(parts.aggregates);
      binder.allow_windows(parts.windows, select.windows);
      binder.share_subqueries(parts.known_subqueries);
      binder.set_aliases(alias);
      return binder;
    };
    if (select.having) {
      ExpressionBinder binder = clause("HAVING", output_name_unless_column);
      parts.having = binder.bind_condition(*select.having);
      add_subqueries(binder, parts);
    }
    if (select.qualify) {
      ExpressionBinder binder = clause("QUALIFY", output_name_unless_column);
      parts.qualify = binder.bind_condition(*select.qualify);
      add_subqueries(binder, parts);
    }
    ExpressionBinder of_order = clause("ORDER BY", output_name);
    for (const OrderItem& item : order_by) bind_order_item(item, of_order, parts);
    for (const Expression& on : select.distinct_on) {
      const auto place = position_of(on, parts.items.size(), text());
      parts.distinct_on.push_back(place ? parts.items[*place].value : of_order.bind(on));
    }
    add_subqueries(of_order, parts);
    if (grouped())
      relation = bind_groups(context_, select, from.scope, output_name_unless_column,
                             std::move(relation), parts);
    relation = attach(parts.subqueries, std::move(relation), numbers());
    if (parts.having) relation = filter(relation, parts.having);
    if (!parts.windows.empty()) relation = window(relation, parts.windows);
    if (parts.qualify) relation = filter(relation, parts.qualify);
    return finish_select(select, relation, parts);
  }

  static void add_subqueries(ExpressionBinder& binder, Parts& parts) {
    for (Subquery& subquery : binder.take_subqueries())
      parts.subqueries.push_back(std::move(subquery));
  }

  void bind_items(const Select& select, const Scope& scope, Parts& parts) {
    ExpressionBinder binder(context_, scope, "SELECT");
    binder.allow_aggregates(parts.aggregates);
    binder.allow_windows(parts.windows, select.windows);
    binder.share_subqueries(parts.known_subqueries);
    for (const SelectItem& item : select.items) {
      if (const auto* star = std::get_if<Star>(&item.value.node)) {
        for (const auto& column : scope.columns_of(*star, item.value.position, text())) {
          ExpressionPtr value = column.column;
          for (const Replacement& replacement : star->replace)
            if (equal_folded(replacement.name.text, column.name))
              value = binder.bind(replacement.value);
          parts.items.push_back({std::move(value), column.name, item.value.position});
        }
      } else {
        parts.items.push_back({binder.bind(item.value),
                               item.alias ? item.alias->text : column_name(item.value),
                               item.value.position});
      }
    }
    add_subqueries(binder, parts);
  }

  void bind_order_item(const OrderItem& item, ExpressionBinder& binder, Parts& parts) {
    if (std::holds_alternative<Star>(item.value.node)) {
      for (const Item& of : parts.items) parts.order.push_back(sort_item(of.value, item));
    } else if (const auto place = position_of(item.value, parts.items.size(), text())) {
      parts.order.push_back(sort_item(parts.items[*place].value, item));
    } else {
      parts.order.push_back(sort_item(binder.bind(item.value), item));
    }
  }

  // ---- The result

  BoundQuery finish_select(const Select& select, RelationPtr relation, Parts& parts) {
    std::vector<Computed> computed;
    BoundQuery bound;
    const auto shown = [&](const ExpressionPtr& value, const std::string& name) {
      computed.push_back({numbers().like(*value, name), value});
      return computed.back().column;
    };
    for (const Item& item : parts.items) {
      bound.columns.push_back(shown(item.value, item.name));
      bound.names.push_back(item.name);
    }
    // What is ordered by may be a column of the result already.
    std::vector<query::SortItem> order;
    for (const query::SortItem& by : parts.order) {
      ExpressionPtr value;
      for (std::size_t i = 0; i < parts.items.size() && !value; ++i)
        if (same(*parts.items[i].value, *by.value)) value = bound.columns[i];
      if (!value) {
        if (by.value->is_constant()) continue;
        if (select.is_distinct && select.distinct_on.empty())
          fail(select.items[0].value.position,
               "with DISTINCT, ORDER BY can only have what SELECT has");
        value = shown(by.value, "");
      }
      order.push_back({value, by.descending, by.nulls_first});
    }
    Expressions on;
    for (const ExpressionPtr& value : parts.distinct_on) on.push_back(shown(value, ""));
    relation = project(std::move(relation), std::move(computed));
    if (!on.empty()) {
      WindowItem number{.column = numbers().make(kInt64, "row_number", {}, false),
                        .function = "row_number",
                        .partition = on,
                        .order = order};
      const ExpressionPtr first = call("=", {number.column, constant(Value::counted(kInt64, 1))});
      relation = filter(window(relation, {number}), first);
    } else if (select.is_distinct) {
      Expressions renamed;
      const Expressions before = relation->columns;
      relation = distinct(relation, numbers(), &renamed);
      const auto now = [&](const query::Expression& of) -> ExpressionPtr {
        for (std::size_t i = 0; i < before.size(); ++i)
          if (before[i]->column == of.column) return renamed[i];
        return nullptr;
      };
      for (ExpressionPtr& of : bound.columns) of = replace_columns(of, now);
      for (query::SortItem& by : order) by.value = replace_columns(by.value, now);
    }
    if (!order.empty()) relation = sort(relation, std::move(order));
    bound.relation = relation;
    return bound;
  }

  const Catalog& catalog_;
  BindContext context_;
  std::vector<Named> with_;
  std::map<RelationPtr, int> depths_;
};

}  // namespace

BoundQuery bind(const Query& query, std::string_view text, const Catalog& catalog,
                ColumnNumbers& numbers) {
  Binder binder(text, catalog, numbers);
  return binder.bind_query(query, nullptr);
}

}  // namespace grappa::query::sql
