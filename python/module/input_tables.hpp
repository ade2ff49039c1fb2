#pragma once

// Tables of Python, as run_query and run_datalog are given them: name, rows, and columns of a name,
// a type of SQL, values and None or where there are some.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "grappa/query/memory_table.hpp"
#include "python/module/arrays.hpp"

namespace grappa::python {

struct InputTable {
  std::string name;
  std::int64_t rows = 0;
  std::vector<query::MemoryColumn> columns;
};

/// The tables, and what keeps their memory as long as this lives.
struct InputTables {
  std::vector<InputTable> tables;
  std::vector<AnyArray> arrays;
};

/// UsageError for columns that have no type of SQL, or another length.
InputTables take_tables(const nb::list& tables);

}  // namespace grappa::python
