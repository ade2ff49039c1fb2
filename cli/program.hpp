#pragma once

// What all programs of the tool need: a process that runs a command and ends with its status.
//
//   int main(int argc, char** argv) { return run_program({argv + 1, argv + argc}, run_command); }
//
// 0: it worked; 1: the run failed; 2: bad usage or bad input; 130: ended by Ctrl-C. Every error is
// one line, "grappa: …", on standard error.

#include "cli/command.hpp"

namespace grappa::cli {

/// Under a launcher one process calls `command`; its runs are on all of them.
int run_program(const Arguments& arguments, int (*command)(const Arguments& arguments));

}  // namespace grappa::cli
