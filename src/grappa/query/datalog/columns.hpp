#pragma once

// What a program takes and gives in memory: columns of a relation's attributes.
//
//   const std::vector<MemoryFacts> facts = {{.relation = "edge", .rows = 2, .columns = columns}};
//   engine.run(source, [&](const Answer& answer) { use(answer.columns(0)); }, facts);

#include <cstdint>
#include <string>
#include <vector>

#include "grappa/query/datalog/program.hpp"
#include "grappa/query/memory_table.hpp"

namespace grappa::query::datalog {

/// A column for each attribute: of numbers and unsigned ones kInt64, of floats kDouble, of symbols
/// kText, of which a NULL is "".
struct MemoryFacts {
  std::string relation;
  std::int64_t rows = 0;
  std::vector<MemoryColumn> columns;
};

/// An attribute of all tuples.
struct TupleColumn {
  bool are_symbols = false;
  std::vector<Word> words;               // of numbers
  std::vector<std::uint8_t> bytes;       // the texts of symbols, one behind the other
  std::vector<std::int64_t> ends = {0};  // where each of them ends
};

}  // namespace grappa::query::datalog
