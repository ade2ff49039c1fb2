#pragma once

// What a program gives: the tuples of a relation, in order, as text or as columns.
//
//   write_tuples(relation, store, symbols, team, {.delimiter = "\t"}, sink);
//   const std::vector<TupleColumn> columns = tuple_columns(relation, store, symbols, team);
//
// Tuples are ascending, attribute by attribute: numbers by value, symbols by their bytes. So the
// text is the same, however many cores and locales there are. Floats have as many digits as read
// back the same; a relation without attributes shows its tuple as (). For the leader of a locale.

#include <vector>

#include "grappa/query/datalog/columns.hpp"
#include "grappa/query/datalog/program.hpp"
#include "grappa/query/datalog/store.hpp"
#include "grappa/query/datalog/symbols.hpp"
#include "grappa/query/exec/team.hpp"
#include "grappa/query/io/row_writer.hpp"

namespace grappa::query::datalog {

std::vector<TupleColumn> tuple_columns(const Relation& relation, const Store& store,
                                       const Symbols& symbols, const Team& team);

void write_tuples(const Relation& relation, const Store& store, const Symbols& symbols,
                  const Team& team, const FileOptions& options, const TextSink& sink);

}  // namespace grappa::query::datalog
