#pragma once

// Whether this process was started by an MPI launcher, and which MPI library that launcher speaks.
//
// Looks only at the environment. Open MPI's mpirun sets OMPI_COMM_WORLD_SIZE; MPICH's hydra (and
// srun with its PMI) sets PMI_RANK and PMI_SIZE; srun --mpi=pmix sets PMIX_RANK, which Open MPI
// understands.

#include <optional>
#include <string>

#include "grappa/base/config.hpp"

namespace grappa {

struct Launch {
  std::string library;  // "openmpi" or "mpich"
  std::string clue;     // the variable that said so, for messages
  int size = 0;         // ranks, 0 when the launcher does not say
};

// The launch of this process, or nothing when it was started alone. A choice of library wins over
// what the environment suggests.
std::optional<Launch> find_launch(MpiChoice choice);

}  // namespace grappa
