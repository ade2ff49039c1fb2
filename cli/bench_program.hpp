#pragma once

// The benchmarks are a program of their own, grappa-bench, so that only those who measure have to
// build it. `grappa bench …` becomes that program.
//
//   become_bench_program(arguments);       // first thing in main; returns for any other command
//
// It is looked for at a fixed place relative to the tool that runs, as the build or the
// installation has put it, so that both may be moved together.

#include "cli/command.hpp"

namespace grappa::cli {

/// For `grappa bench …` and what asks for its help: replaces this process, before a runtime or MPI
/// has started in it. Returns where something else was asked for, or the program is not there; then
/// run_bench says so.
void become_bench_program(const Arguments& arguments);

}  // namespace grappa::cli
