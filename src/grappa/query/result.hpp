#pragma once

// What a query gives, as arrays that are distributed over the cores.
//
//   const Result result = result_of("SELECT name, age FROM 'people.csv' ORDER BY age");
//   const GlobalArray<std::int64_t> ages = result.column<std::int64_t>("age");
//   ages.forall([](std::int64_t row, std::int64_t age) { use(row, age); });     // at its home core
//   database.add_table("sorted", result.columns());                            // without a copy
//
// Element i of each array is of row i: in the order of the query, if it has one. The arrays have
// the block distribution, and are the result's: they go with it.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/query/array_table.hpp"
#include "grappa/query/text_arena.hpp"

namespace grappa::query {

class Database;

class Result {
 public:
  std::int64_t rows() const { return rows_; }
  const std::vector<ArrayColumn>& columns() const { return columns_; }
  const ArrayColumn& column(std::string_view name) const {
    const auto found = std::ranges::find(columns_, name, &ArrayColumn::name);
    if (found == columns_.end()) throw UsageError(fmt::format("the result has no column {}", name));
    return *found;
  }
  /// The values of a column whose type has values T (type.hpp; bool for booleans). Of a NULL any.
  template <class T>
  GlobalArray<T> column(std::string_view name) const {
    const ArrayColumn& found = column(name);
    if (const auto* const array = std::get_if<GlobalArray<T>>(&found.values.array)) return *array;
    throw UsageError(fmt::format("the column {} is {}, whose values have another C++ type", name,
                                 name_of(found.type)));
  }

 private:
  friend void spread(const Team& team, Table table, Result& result);

  std::int64_t rows_ = 0;
  std::vector<ArrayColumn> columns_;
  // Of the first locale's.
  std::vector<Owned<ColumnArray>> values_;
  std::vector<Owned<GlobalArray<bool>>> valid_;
  Owned<LocaleState<std::vector<TextArena>>> texts_;  // what elements refer to
};

/// Executes all statements of the text, and returns the rows of the last query.
Result result_of(std::string_view text, Database& database);
/// The same in a database of its own: of files, for one.
Result result_of(std::string_view text);

/// The rows of a table that is in memory, into a result that is empty. By the leaders of all
/// locales; the arrays are those of the result of the first one, which stays until all are done.
void spread(const Team& team, Table table, Result& result);

}  // namespace grappa::query
