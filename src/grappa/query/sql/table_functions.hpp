#pragma once

// Functions that give a table: read_csv('file', header = false), generate_series(1, 10).
//
//   const FunctionTable made = table_of(function, context, catalog);
//   use(made.table, made.name);

#include <memory>
#include <string>

#include "grappa/query/sql/ast.hpp"
#include "grappa/query/sql/bind_expression.hpp"
#include "grappa/query/sql/catalog.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query::sql {

struct FunctionTable {
  std::shared_ptr<const Table> table;
  std::string name{};      // where the query gives none
  bool is_values = false;  // a name that is given is that of its column, too
};

/// SyntaxError where there is no such function, or its arguments are others.
FunctionTable table_of(const TableFunction& function, BindContext& context, const Catalog& catalog);

/// The name of the table in a file: "people" of data/people.csv.gz.
std::string table_name(const std::string& path);

}  // namespace grappa::query::sql
