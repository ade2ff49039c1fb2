#pragma once

// What stops the calls of a thread from another one, as Ctrl-C stops those of the main thread.
//
//   stop = _grappa.Stop()
//   stop.begin()          # in a thread: calls that it makes from here on …
//   stop.set()            # in any thread: … are cancelled, and throw KeyboardInterrupt
//   stop.end()            # in the first one: and later ones are not

#include <nanobind/nanobind.h>

namespace grappa::python {

/// Whether what this thread calls is to be cancelled.
bool is_stopped();

void add_stop(nanobind::module_& module);

}  // namespace grappa::python
