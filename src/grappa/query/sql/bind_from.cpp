// FROM, as query_binder.hpp has it: tables, files, views, subqueries and their joins.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grappa/query/plan/decorrelate.hpp"
#include "grappa/query/sql/query_binder.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/sql/table_functions.hpp"

namespace grappa::query::sql {
namespace {

/// The columns of a relation under other numbers, so that it can be there twice.
RelationPtr renumbered(const RelationPtr& relation, const Expressions& columns,
                       ColumnNumbers& numbers, Expressions& fresh) {
  std::vector<Computed> computed;
  for (const ExpressionPtr& of : columns) {
    computed.push_back({numbers.like(*of), of});
    fresh.push_back(computed.back().column);
  }
  return project(relation, std::move(computed));
}

}  // namespace

FromSource QueryBinder::bind_from(const Select& select, const Scope* around) {
  FromSource all{single_row(), Scope(around)};
  for (const TableReference& reference : select.from) {
    FromSource next = bind_reference(reference, around, &all.scope);
    require_new_names(all.scope, next.scope, reference, text());
    all.relation = select.from.data() == &reference
                       ? next.relation
                       : dependent_join(query::JoinKind::kInner, all.relation, next.relation,
                                        nullptr, nullptr, numbers());
    all.scope.add_all(next.scope);
  }
  return all;
}

FromSource QueryBinder::bind_reference(const TableReference& reference, const Scope* around,
                                       const Scope* lateral) {
  if (const auto* named = std::get_if<TableName>(&reference.source))
    return bind_named(*named, reference, around);
  if (const auto* file = std::get_if<FileName>(&reference.source))
    return bind_table(catalog_.open_file({.paths = {file->path}}), table_name(file->path),
                      reference, around);
  if (const auto* function = std::get_if<TableFunction>(&reference.source)) {
    const FunctionTable made = table_of(*function, context_, catalog_);
    FromSource source = bind_table(made.table, made.name, reference, around);
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

FromSource QueryBinder::bind_named(const TableName& named, const TableReference& reference,
                                   const Scope* around) {
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
    for (const auto& [one, of] : catalog_.views)
      if (std::ranges::find(open_views_, one) == open_views_.end()) known.push_back(one);
    if (named.parts.size() > 1) {
      std::string path;
      for (const Name& part : named.parts) path += path.empty() ? part.text : "." + part.text;
      fail(reference.position,
           fmt::format("there is no table {0}; a file is named in quotes: '{0}'", path));
    }
    fail(reference.position,
         fmt::format("there is no table {}{}", name.text, suggestion(name.text, known)));
  }
  return bind_query_source(bind_view(view->second, name), reference, name.text, around);
}

BoundQuery QueryBinder::bind_view(const View& view, const Name& name) {
  const std::string key = folded(name.text);
  constexpr std::size_t kMostOpen = 100;
  if (std::ranges::find(open_views_, key) != open_views_.end() || open_views_.size() > kMostOpen)
    fail(name.position, "views refer to one another without end");
  // A view sees nothing of where it is used.
  std::vector<Named> around_with = std::exchange(with_, {});
  open_views_.push_back(key);
  context_.is_in_view = true;
  BoundQuery bound;
  try {
    bound = bind_query(view.query, nullptr);
    rename(bound, view.column_aliases);
  } catch (const SyntaxError& error) {
    // Its place is in the text that has made the view, which is not this one.
    fail(name.position, fmt::format("in view {}: {}", name.text, error.message()));
  }
  open_views_.pop_back();
  context_.is_in_view = !open_views_.empty();
  with_ = std::move(around_with);
  return bound;
}

FromSource QueryBinder::bind_table(const std::shared_ptr<const Table>& table,
                                   const std::string& name, const TableReference& reference,
                                   const Scope* around) {
  const RelationPtr relation = scan(table, name, numbers());
  std::vector<std::string> names;
  for (const query::Column& of : table->columns) names.push_back(of.name);
  FromSource made = named_source(relation, relation->columns, names, reference, name, around);
  made.scope.tables().back().left_out = table->left_out;
  return made;
}

FromSource QueryBinder::bind_query_source(const BoundQuery& bound, const TableReference& reference,
                                          const std::string& name, const Scope* around) {
  Expressions fresh;
  const RelationPtr relation = renumbered(bound.relation, bound.columns, numbers(), fresh);
  return named_source(relation, fresh, bound.names, reference, name, around);
}

FromSource QueryBinder::bind_join(const Join& node, const Scope* around, const Scope* lateral) {
  FromSource left = bind_reference(*node.first, around, lateral);
  JoinBinder binder(context_, around);
  for (const JoinStep& step : node.steps) {
    Scope before(around);
    if (lateral != nullptr) before.add_all(*lateral);
    // Where each row of the right side is shown, it is whatever the left one has.
    if (step.kind != JoinKind::kRight && step.kind != JoinKind::kFull) before.add_all(left.scope);
    FromSource right = bind_reference(step.right, around, &before);
    require_new_names(left.scope, right.scope, step.right, text());
    left = binder.join(std::move(left), std::move(right), step);
  }
  return left;
}

FromSource QueryBinder::named_source(RelationPtr relation, const Expressions& columns,
                                     std::vector<std::string> names,
                                     const TableReference& reference, const std::string& table,
                                     const Scope* around) {
  if (reference.column_aliases.size() > names.size())
    fail(reference.column_aliases[names.size()].position,
         fmt::format("{} names for {} columns", reference.column_aliases.size(), names.size()));
  for (std::size_t i = 0; i < reference.column_aliases.size(); ++i)
    names[i] = reference.column_aliases[i].text;
  Scope::NamedTable named{.name = reference.alias ? reference.alias->text : table};
  for (std::size_t i = 0; i < names.size(); ++i)
    named.columns.push_back({names[i], columns[i], false});
  FromSource made{std::move(relation), Scope(around)};
  made.scope.add(std::move(named));
  return made;
}

}  // namespace grappa::query::sql
