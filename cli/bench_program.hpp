#pragma once

// The benchmarks are a program of their own, grappa-bench, so that who does not measure need not
// build them. `grappa bench …` becomes that program.
//
//   become_bench_program(arguments);       // first thing in main; returns where it is not asked for
//
// It stands where the build or the installation has put it, seen from the tool that runs, so that
// both may be moved together.

#include "cli/command.hpp"

namespace grappa::cli {

/// For `grappa bench …` and what asks for its help: replaces this process, before a runtime or MPI
/// has started in it. Returns where something else was asked for, or the program is not there; then
/// run_bench says so.
void become_bench_program(const Arguments& arguments);

}  // namespace grappa::cli
