#pragma once

// The tables and views that a query may name.
//
//   Catalog catalog;
//   catalog.tables["people"] = table;                     // names are folded (name.hpp)
//   catalog.open_file = load;                             // FROM 'file.csv', read_csv('file')

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grappa/query/io/table_reader.hpp"
#include "grappa/query/sql/ast.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query::sql {

struct View {
  std::vector<Name> column_aliases;
  Query query;
};

struct Catalog {
  std::map<std::string, std::shared_ptr<const Table>> tables;
  std::map<std::string, View> views;
  /// FROM 'file.csv', read_csv('file').
  std::function<std::shared_ptr<const Table>(const TableSource& source)> open_file;
  /// The table of series_table.hpp.
  std::function<std::shared_ptr<const Table>(const std::string& name, std::int64_t first,
                                             std::int64_t step, std::int64_t rows)>
      make_series;
  /// When the statement began, for all of it and on all locales: microseconds since 1970.
  std::int64_t now = 0;
};

}  // namespace grappa::query::sql
