#pragma once

// What the tool sets up in its process: signals and standard descriptors.
//
//   prepare_process();               // first thing in main
//
// Ctrl-C, and the end of the terminal or of the job (SIGHUP, SIGTERM), end the process at once with
// one line and status 128 + signal; Ctrl-C does not where somebody answers it (interrupts.hpp).
// SIGUSR1 asks for a report on the tasks of the run. Files that are being written have no name
// until they are whole (graph/io/output_file.hpp), so nothing is left behind.

namespace grappa::cli {

/// Once, before anything else. Makes a closed pipe an error of write() and not a signal, and keeps
/// descriptors 0 to 2 from being taken by the files that the tool opens.
void prepare_process();

/// Signals end this process silently from here on: of the processes of a job one speaks for all.
void end_without_a_word();

/// Signals end this process silently and with this status from here on: its work is done.
void end_with(int status);

}  // namespace grappa::cli
