#pragma once

// The tool's table of kernels, for the methods that Python makes of it.

#include <nanobind/nanobind.h>

namespace grappa::python {

namespace nb = nanobind;

/// A dict for each: name, summary, title, description, value (what a vertex gets), and options, as
/// tuples of the names of a flag and its help.
nb::list kernel_table();

}  // namespace grappa::python
