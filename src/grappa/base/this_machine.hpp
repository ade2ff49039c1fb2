#pragma once

// Which machine a process runs on, to compare with others.
//
//   const std::string machine = this_machine();   // equal: numbers of devices mean the same there
//
// Processes in different containers of a machine have the same one. Any threads.

#include <string>

namespace grappa::internal {

/// Of this machine until it starts again; empty where the system does not say.
std::string this_machine();

}  // namespace grappa::internal
