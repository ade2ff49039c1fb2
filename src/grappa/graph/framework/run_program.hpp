#pragma once

// Runs a vertex program under either engine.

#include "grappa/graph/framework/async_engine.hpp"
#include "grappa/graph/framework/programs/program_kernels.hpp"
#include "grappa/graph/framework/sync_engine.hpp"

namespace grappa::graph {

template <class Program>
ProgramResult run_program(const Graph& graph, const Program& program, Engine engine,
                          const ProgramOptions& options = {},
                          internal::CallSite where = internal::CallSite::current()) {
  return engine == Engine::kSynchronous ? run_synchronous(graph, program, options, where)
                                        : run_asynchronous(graph, program, options, where);
}

}  // namespace grappa::graph
