#pragma once

// Opening files that may be fifos, which takes for ever where nobody opens the other end: after two
// seconds a line on standard error says for whom it waits.
//
//   int descriptor = open_to_read("edges.txt");      // or -1, and errno
//
// The descriptors block, and are closed on exec. Blocks the thread, never suspends the task.

#include <string>

namespace grappa::internal {

/// A fifo is not opened before somebody writes to it.
int open_to_read(const std::string& path);
/// A fifo is not opened before somebody reads it. `more_flags`: O_CREAT, for a file that may not be
/// there yet.
int open_to_write(const std::string& path, int more_flags = 0);

}  // namespace grappa::internal
