#pragma once

// What `bench kernels` and `bench queries` start for a baseline.
//
//   BaselineProcess igraph(kernel_baseline("igraph", threads), files, limit_seconds);
//   BaselineProcess pbgl(pbgl_baseline(2), files, limit_seconds);
//   BaselineProcess duckdb(query_baseline("duckdb", threads, 0), {}, limit_seconds);
//
// Errors: UsageError where the program is not there.

#include <cstdint>
#include <string>
#include <vector>

namespace grappa::bench {

struct BaselineProgram {
  std::string name;                      // of the baseline
  std::string wanted_by;                 // what was asked for, as complaints have it
  std::string installed_by;              // the command that does that
  std::vector<std::string> words;        // the command: its path, its arguments
  std::vector<std::string> environment;  // all of it
  std::vector<int> processors;           // that it may use
};

/// Of those that are Python's: bench/baselines/worker.py, run by GRAPPA_BASELINE_PYTHON of the
/// environment, or else by the interpreter that `scripts/setup --baselines` has made.
BaselineProgram kernel_baseline(const std::string& name, int threads);
/// bench/baselines/query_worker.py, run in the same way. It may use so many bytes, if it is DuckDB;
/// 0: any number.
BaselineProgram query_baseline(const std::string& name, int threads, std::uint64_t memory_bytes);
/// The same of what makes the tables of a set of queries.
BaselineProgram query_set_generator(const std::string& set);

/// The Parallel Boost Graph Library: bench/pbgl/worker.cpp, in so many processes of the MPI that
/// Debian's Boost is made for, Open MPI; GRAPPA_BASELINE_PBGL names another program. Also from
/// within a process that a launcher of MPI has started: nothing of that job reaches it, and it uses
/// processors of the machine that the launcher withholds from this process.
BaselineProgram pbgl_baseline(int processes);

}  // namespace grappa::bench
