#pragma once

// Which machine a process runs on, to compare with others.
//
//   if (there == this_machine()) …          // it reaches the same memory and the same files
//
// Any threads.

#include <string>

namespace grappa::internal {

/// The machine, since when it runs: numbers of devices and processes, and pages of files, are the
/// same until it starts again. Empty where the system does not say.
std::string this_machine();

}  // namespace grappa::internal
