#pragma once

// grappa._grappa.Array: an array over all cores, for grappa.arrays.

#include <nanobind/nanobind.h>

namespace grappa::python {

void add_global_arrays(nanobind::module_& module);

}  // namespace grappa::python
