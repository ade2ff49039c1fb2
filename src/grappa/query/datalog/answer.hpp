#pragma once

// What a program gives: the tuples of a relation as text, in order.
//
//   write_tuples(relation, store, symbols, team, {.delimiter = "\t"}, sink);
//
// Tuples are ascending, attribute by attribute: numbers by value, symbols by their bytes. So the
// text is the same, however many cores and locales there are. Floats have as many digits as read
// back the same; a relation without attributes shows its tuple as (). For the leader of a locale.

#include "grappa/query/datalog/program.hpp"
#include "grappa/query/datalog/store.hpp"
#include "grappa/query/datalog/symbols.hpp"
#include "grappa/query/exec/team.hpp"
#include "grappa/query/io/row_writer.hpp"

namespace grappa::query::datalog {

void write_tuples(const Relation& relation, const Store& store, const Symbols& symbols,
                  const Team& team, const FileOptions& options, const TextSink& sink);

}  // namespace grappa::query::datalog
