#include "grappa/query/sql/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "grappa/base/text_values.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {
namespace {

std::string text_of(const ColumnReference& reference) {
  std::string text;
  for (const Name& part : reference.parts) text += (text.empty() ? "" : ".") + part.text;
  return text;
}

}  // namespace

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::string wanted = folded(name);
  std::string_view best;
  std::size_t least = name.size() / 3 + 1;
  for (const std::string& candidate : known) {
    const std::size_t so_far = grappa::internal::edit_distance(wanted, folded(candidate));
    if (so_far < least) {
      least = so_far;
      best = candidate;
    }
  }
  return best.empty() ? std::string() : fmt::format("; did you mean {}?", best);
}

void Scope::add_all(const Scope& other) {
  tables_.insert(tables_.end(), other.tables_.begin(), other.tables_.end());
}

ExpressionPtr Scope::find_here(const ColumnReference& reference, std::string_view text) const {
  const Name& name = reference.parts.back();
  ExpressionPtr found;
  for (const NamedTable& table : tables_) {
    const bool qualified = reference.parts.size() > 1;
    if (qualified && !equal_folded(table.name, reference.parts[reference.parts.size() - 2].text))
      continue;
    for (const NamedColumn& of : table.columns) {
      if (!equal_folded(of.name, name.text) || (of.is_hidden && !qualified)) continue;
      if (found && found->column != of.column->column)
        throw SyntaxError(text, name.position,
                          fmt::format("{} is a column of several tables: name the table, too",
                                      text_of(reference)));
      found = of.column;
    }
  }
  return found;
}

std::vector<std::string> Scope::all_names() const {
  std::vector<std::string> names;
  for (const Scope* scope = this; scope != nullptr; scope = scope->around_)
    for (const NamedTable& table : scope->tables_)
      for (const NamedColumn& of : table.columns) {
        names.push_back(of.name);
        names.push_back(table.name + "." + of.name);
      }
  return names;
}

const LeftOut* Scope::find_left_out(const ColumnReference& reference) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->around_)
    for (const NamedTable& table : scope->tables_)
      for (const LeftOut& column : table.left_out)
        if (equal_folded(column.name, reference.parts.back().text) ||
            equal_folded(column.name, reference.parts.front().text))
          return &column;
  return nullptr;
}

ExpressionPtr Scope::find(const ColumnReference& reference, Position position,
                          std::string_view text) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->around_)
    if (ExpressionPtr found = scope->find_here(reference, text)) return found;
  if (const LeftOut* const column = find_left_out(reference))
    throw SyntaxError(text, position,
                      fmt::format("column {} of the file {}", column->name, column->reason));
  const std::string name = text_of(reference);
  throw SyntaxError(text, position,
                    fmt::format("there is no column {}{}", name, suggestion(name, all_names())));
}

namespace {

bool is_of(const Star& star, const Scope::NamedTable& table) {
  return star.qualifier.empty() || equal_folded(table.name, star.qualifier.back().text);
}

bool excludes(const Star& star, std::string_view column) {
  return std::ranges::any_of(star.exclude,
                             [&](const Name& name) { return equal_folded(name.text, column); });
}

}  // namespace

std::vector<LeftOut> Scope::left_out_of(const Star& star) const {
  std::vector<LeftOut> found;
  for (const NamedTable& table : tables_)
    if (is_of(star, table))
      std::ranges::copy_if(table.left_out, std::back_inserter(found),
                           [&](const LeftOut& column) { return !excludes(star, column.name); });
  return found;
}

std::vector<Scope::NamedColumn> Scope::columns_of(const Star& star, Position position,
                                                  std::string_view text) const {
  std::vector<NamedColumn> found;
  std::vector<std::string> excluded;
  bool any_table = false;
  for (const NamedTable& table : tables_) {
    if (!is_of(star, table)) continue;
    any_table = true;
    for (const LeftOut& of : table.left_out)
      if (excludes(star, of.name)) excluded.push_back(of.name);
    for (const NamedColumn& of : table.columns) {
      if (of.is_hidden && star.qualifier.empty()) continue;
      if (excludes(star, of.name))
        excluded.push_back(of.name);
      else
        found.push_back(of);
    }
  }
  if (!any_table) {
    if (star.qualifier.empty())
      throw SyntaxError(text, position, "there is no FROM, so * stands for nothing");
    throw SyntaxError(text, position,
                      fmt::format("there is no table {} here", star.qualifier.back().text));
  }
  std::vector<std::string> shown;
  for (const NamedColumn& of : found) shown.push_back(of.name);
  const auto require = [&](const Name& name, const std::vector<std::string>& among) {
    if (std::ranges::any_of(among,
                            [&](const std::string& of) { return equal_folded(of, name.text); }))
      return;
    throw SyntaxError(text, name.position,
                      fmt::format("* has no column {}{}", name.text, suggestion(name.text, shown)));
  };
  for (const Name& name : star.exclude) require(name, excluded);
  for (const Replacement& replacement : star.replace) require(replacement.name, shown);
  return found;
}

void Scope::replace(const ReplaceColumn& replace) {
  for (NamedTable& table : tables_) {
    for (NamedColumn& of : table.columns)
      if (ExpressionPtr other = replace(*of.column)) of.column = std::move(other);
  }
}

}  // namespace grappa::query::sql
