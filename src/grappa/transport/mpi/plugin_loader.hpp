#pragma once

// Loads the plug-in for an MPI library, and starts MPI.
//
// The plug-in is looked for in the folder that GRAPPA_PLUGIN_DIR names, or, where that is not set,
// in the run path of the program and then in the prefix that was configured.
//
// Errors: UsageError that says what to install, or what MPI does not give. A start that takes long
// is said to do so, with what may be the reason.

#include "grappa/transport/mpi/launcher.hpp"
#include "grappa/transport/mpi/mpi_interface.h"

namespace grappa::internal {

const GrappaMpi* load_plugin(const Launch& launch);

}  // namespace grappa::internal
