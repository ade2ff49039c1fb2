#pragma once

// The job of several processes in which `python -m grappa SCRIPT` runs (grappa/__main__.py): the
// first process has the script and its sessions, the others serve these.

#include <nanobind/nanobind.h>

#include "grappa/base/config.hpp"

namespace grappa::python {

/// Refuses a process that a launcher has started in another way, where nobody serves.
void require_served(const Config& config);

void add_job(nanobind::module_& module);

}  // namespace grappa::python
