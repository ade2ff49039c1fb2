#pragma once

// Datalog programs.

#include <nanobind/nanobind.h>

namespace grappa::python {

/// datalog_relations(text) -> (name, whether it has .input, whether it has .output) of each.
/// run_datalog(session, text, folder, relations) -> for each of these relations, by its number, a
/// tuple: its attributes, as pairs of a name and a kind; and its rows as CSV, with texts in quotes.
void add_datalog(nanobind::module_& module);

}  // namespace grappa::python
