#pragma once

// What the library throws, as Python's own kinds of errors.

#include <nanobind/nanobind.h>

namespace grappa::python {

/// From here on. Wrong values and files become ValueError, files that are not there
/// FileNotFoundError, too little memory MemoryError, and what fails otherwise grappa.Error, a
/// RuntimeError.
void add_errors(nanobind::module_& module);

}  // namespace grappa::python
