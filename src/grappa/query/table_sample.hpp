#pragma once

// A sample of a table's rows, by which the optimizer estimates what a condition lets through.
//
//   Table triples = load_table({.paths = {"triples.nt"}}, parallel, exchange);
//   triples.sample = sample_of(team, triples);
//
// Up to 16 Ki rows: all of a table that has no more; of others one of each stretch of rows,
// anywhere in it, so that neither the beginning nor a pattern of the rows counts more. Locales plan
// for themselves and must come to the same plan, so all of them have the rows of all.

#include "grappa/query/exec/team.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// Rows whose texts are longer than a kilobyte together are left out: estimates are not worth their
/// memory. By the leaders of all locales.
Block sample_of(const Team& team, const Table& table);

}  // namespace grappa::query
