#pragma once

// Whether this process was started by an MPI launcher, and which MPI library that launcher speaks.
//
// Looks only at the environment. Open MPI's mpirun sets OMPI_COMM_WORLD_RANK and …_SIZE; MPICH's
// hydra (Intel MPI's, too) and srun with PMI-1 or PMI-2 set PMI_RANK and PMI_SIZE; srun --mpi=pmix
// and other PMIx servers set PMIX_RANK, which Open MPI understands. What Slurm sets for every job
// (SLURM_PROCID also in a batch script) is no launch.
//
// Open MPI's mpirun binds one or two processes to a processor each, and more of them to a part of
// the machine each; hydra binds nothing unless it is told to.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "grappa/base/config.hpp"

namespace grappa::internal {

struct Launch {
  std::string library;  // "openmpi" or "mpich"
  std::string clue;     // the variable that said so, for messages
  std::string unbind;   // how to start without processes bound to processors, for messages
  int size = 0;         // ranks, 0 when the launcher does not say
};

/// The launch of this process, or nothing when it was started alone. A choice of library wins over
/// what the environment suggests.
std::optional<Launch> find_launch(MpiChoice choice);

/// What to say when srun has started several processes without a way for them to find each other,
/// so that each of them runs alone: in the first of them; nothing otherwise.
std::optional<std::string> warning_of_lonely_processes();

/// The processors that the process which started this one may use, and this one may not: what the
/// launcher's binding withholds.
std::vector<int> withheld_processors();

/// Refuses more cores than the `usable` processors of this process where the launcher's binding is
/// why, and says how to lift it. `processes` share the machine.
void validate_binding(const Config& config, std::size_t usable, int processes);

/// Says on standard error how to lift the launcher's binding, if it leaves processors of this
/// machine idle. `usable`: what each process of the machine may use.
void report_idle_processors(const Launch& launch, const std::vector<std::vector<int>>& usable);

}  // namespace grappa::internal
