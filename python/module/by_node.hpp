#pragma once

// Numbers of vertices as Python's dicts and sets of what the vertices are called.

#include <nanobind/nanobind.h>

namespace grappa::python {

void add_by_node(nanobind::module_& module);

}  // namespace grappa::python
