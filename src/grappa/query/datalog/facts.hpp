#pragma once

// The facts of a relation, from a file, or from arrays that the program of a locale has.
//
//   load_facts(relation, program, "facts", team, fixpoint);  // facts/NAME.facts, or as .input says
//   insert_facts({"edge", 2, columns}, program, team, fixpoint);
//
// A row is a line, its attributes separated by tabs; in NAME.csv, which is taken where there is no
// NAME.facts, by commas, and in quotes where that is needed. Both may be .gz or .zst. An empty file
// has no facts. Errors, the same on every locale: InputError for what cannot be read, values of
// another kind, and rows with another number of them. Collective.

#include <string>

#include "grappa/query/datalog/columns.hpp"
#include "grappa/query/datalog/fixpoint.hpp"
#include "grappa/query/datalog/program.hpp"
#include "grappa/query/exec/team.hpp"

namespace grappa::query::datalog {

void load_facts(std::size_t relation, const Program& program, const std::string& folder,
                const Team& team, Fixpoint& fixpoint);

/// Those of one locale; not collective. UsageError for columns and values of another kind.
void insert_facts(const MemoryFacts& facts, const Program& program, const Team& team,
                  Fixpoint& fixpoint);

/// A file in a folder, as messages call it.
std::string path_in(const std::string& folder, const std::string& name);
/// Which file holds them.
std::string facts_path(const Relation& relation, const std::string& folder);

}  // namespace grappa::query::datalog
