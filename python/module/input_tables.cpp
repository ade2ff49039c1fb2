#include "python/module/input_tables.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::python {
namespace {

const void* kept(InputTables& input, const nb::handle& array, std::int64_t rows, std::size_t bytes,
                 const std::string& name) {
  input.arrays.push_back(nb::cast<AnyArray>(array));
  const AnyArray& of = input.arrays.back();
  if (of.nbytes() != static_cast<std::size_t>(rows) * bytes)
    throw UsageError(
        fmt::format("column {}: {} values of {} bytes were expected", name, rows, bytes));
  return of.data();
}

/// "bigint", or ("decimal", 15, 2)
std::optional<query::Type> type_of(const nb::handle& given) {
  if (!nb::isinstance<nb::tuple>(given)) return query::type_named(nb::cast<std::string>(given));
  return query::type_named(nb::cast<std::string>(given[0]), nb::cast<int>(given[1]),
                           nb::cast<int>(given[2]));
}

query::MemoryColumn column_of(InputTables& input, const nb::tuple& given, std::int64_t rows) {
  query::MemoryColumn column;
  column.name = nb::cast<std::string>(given[0]);
  const auto type = type_of(given[1]);
  if (!type) throw UsageError(fmt::format("column {}: it has no type of SQL", column.name));
  column.type = *type;
  if (type->is_text()) {
    const auto texts = nb::cast<nb::tuple>(given[2]);
    column.values = kept(input, texts[0], rows + 1, sizeof(std::int64_t), column.name);
    input.arrays.push_back(nb::cast<AnyArray>(texts[1]));
    column.text_bytes = static_cast<const char*>(input.arrays.back().data());
  } else {
    column.values = kept(input, given[2], rows, query::size_of(type->physical()), column.name);
  }
  if (!given[3].is_none())
    column.valid = static_cast<const std::uint8_t*>(kept(input, given[3], rows, 1, column.name));
  return column;
}

}  // namespace

InputTables take_tables(const nb::list& tables) {
  InputTables input;
  for (const nb::handle of : tables) {
    const auto given = nb::cast<nb::tuple>(of);
    InputTable table{.name = nb::cast<std::string>(given[0]),
                     .rows = nb::cast<std::int64_t>(given[1]),
                     .columns = {}};
    for (const nb::handle column : nb::cast<nb::list>(given[2]))
      table.columns.push_back(column_of(input, nb::cast<nb::tuple>(column), table.rows));
    input.tables.push_back(std::move(table));
  }
  return input;
}

}  // namespace grappa::python
