#pragma once

// A table of arrays that a program has.
//
//   const std::vector<MemoryColumn> columns = {{.name = "age", .type = kInt32, .values = ages}};
//   const Table people = table_of_columns(team, columns, 1000);
//
// The rows are copied. Those of all locales are the table's; other locales than that of a program
// have none, as a rule.

#include <cstdint>
#include <string>
#include <vector>

#include "grappa/query/exec/team.hpp"
#include "grappa/query/table.hpp"
#include "grappa/query/type.hpp"

namespace grappa::query {

struct MemoryColumn {
  std::string name;
  Type type;
  /// [rows] of the physical type; of texts, [rows + 1] offsets (std::int64_t) into their bytes.
  const void* values = nullptr;
  const char* text_bytes = nullptr;     // UTF-8
  const std::uint8_t* valid = nullptr;  // [rows], 0 for a NULL; null: there is none
};

/// Copies the rows, on all cores. By the leaders of all locales, with the same names and types.
Table table_of_columns(const Team& team, const std::vector<MemoryColumn>& columns,
                       std::int64_t rows);

}  // namespace grappa::query
