#include "grappa/transport/mpi/launcher.hpp"

#include <cstdlib>

namespace grappa {
namespace {

struct Clue {
  const char* variable;
  const char* size_variable;
  const char* library;
};

// In order: Open MPI's launcher sets PMIX_RANK, too.
constexpr Clue kClues[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi"},
                           {"PMI_RANK", "PMI_SIZE", "mpich"},
                           {"PMIX_RANK", "SLURM_NTASKS", "openmpi"}};

}  // namespace

std::optional<Launch> find_launch(MpiChoice choice) {
  if (choice == MpiChoice::kNone) return std::nullopt;
  for (const Clue& clue : kClues) {
    if (std::getenv(clue.variable) == nullptr) continue;
    Launch launch{clue.library, clue.variable, 0};
    if (const char* size = std::getenv(clue.size_variable)) launch.size = std::atoi(size);
    if (choice == MpiChoice::kOpenMpi) launch.library = "openmpi";
    if (choice == MpiChoice::kMpich) launch.library = "mpich";
    return launch;
  }
  return std::nullopt;
}

}  // namespace grappa
