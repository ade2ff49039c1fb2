#pragma once

// What names mean in a part of a query.
//
//   Scope scope(&around);
//   scope.add({"people", {{"name", names}, {"age", ages}}});
//   ExpressionPtr found = scope.find(reference, {}, text);
//
// A query inside another one sees the names of that, too, but its own first.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/expression/expression.hpp"
#include "grappa/query/sql/ast.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query::sql {

class Scope {
 public:
  struct NamedColumn {
    std::string name;
    ExpressionPtr column;
    /// Merged by USING with another one: only shown where its table is named.
    bool is_hidden = false;
  };
  struct NamedTable {
    std::string name;
    std::vector<NamedColumn> columns{};
    /// Of its file.
    std::vector<LeftOut> left_out{};
  };

  explicit Scope(const Scope* around = nullptr) : around_(around) {}

  void add(NamedTable table) { tables_.push_back(std::move(table)); }
  /// All that another one has.
  void add_all(const Scope& other);
  const std::vector<NamedTable>& tables() const { return tables_; }
  std::vector<NamedTable>& tables() { return tables_; }

  /// SyntaxError for what is not there, or there twice.
  ExpressionPtr find(const ColumnReference& reference, Position position,
                     std::string_view text) const;
  /// In this scope alone; nothing if it is not there.
  ExpressionPtr find_here(const ColumnReference& reference, std::string_view text) const;
  /// Of a star, with or without a qualifier.
  std::vector<NamedColumn> columns_of(const Star& star, Position position,
                                      std::string_view text) const;
  /// What it would be of, too, if tables had all columns of their files.
  std::vector<LeftOut> left_out_of(const Star& star) const;
  /// Other columns in the place of some.
  void replace(const ReplaceColumn& replace);

 private:
  std::vector<std::string> all_names() const;
  const LeftOut* find_left_out(const ColumnReference& reference) const;

  const Scope* around_;
  std::vector<NamedTable> tables_;
};

/// "; did you mean …?" with the nearest, if at most a third of the letters differ; or nothing.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace grappa::query::sql
