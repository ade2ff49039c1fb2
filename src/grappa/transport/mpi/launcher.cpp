#include "grappa/transport/mpi/launcher.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/transport/mpi/node_processors.hpp"

namespace grappa::internal {
namespace {

struct Clue {
  const char* variable;
  const char* size_variable;
  const char* library;
};

// In order: Open MPI's launcher sets PMIX_RANK, too.
constexpr Clue kClues[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi"},
                           {"PMI_RANK", "PMI_SIZE", "mpich"},
                           {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "openmpi"}};

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

// Both launchers may have been started inside of a step of Slurm, whose variables they pass on.
const char* flag_against_binding() {
  if (is_set("OMPI_COMM_WORLD_RANK")) return "mpirun --bind-to none";
  if (is_set("MPI_LOCALRANKID")) return "mpirun -bind-to none";  // hydra
  if (is_set("SLURM_STEP_ID")) return "srun --cpu-bind=none";
  return "a launcher's option such as --bind-to none";
}

}  // namespace

std::optional<Launch> find_launch(MpiChoice choice) {
  if (choice == MpiChoice::kNone) return std::nullopt;
  for (const Clue& clue : kClues) {
    if (!is_set(clue.variable)) continue;
    Launch launch{clue.library, clue.variable, flag_against_binding(), 0};
    if (const char* size = std::getenv(clue.size_variable)) launch.size = std::atoi(size);
    if (choice == MpiChoice::kOpenMpi) launch.library = "openmpi";
    if (choice == MpiChoice::kMpich) launch.library = "mpich";
    return launch;
  }
  return std::nullopt;
}

std::optional<std::string> warning_of_lonely_processes() {
  if (find_launch(MpiChoice::kAuto).has_value()) return std::nullopt;
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  const char* rank = std::getenv("SLURM_PROCID");
  if (tasks == nullptr || rank == nullptr || std::atoi(tasks) < 2 || std::atoi(rank) != 0)
    return std::nullopt;
  return fmt::format(
      "srun has started {} processes that know nothing of each other, and each runs alone; srun "
      "--mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH) makes them one job, GRAPPA_MPI=none says that "
      "it is "
      "meant so",
      tasks);
}

std::vector<int> withheld_processors() {
  cpu_set_t theirs;
  cpu_set_t ours;
  std::vector<int> processors;
  if (sched_getaffinity(getppid(), sizeof theirs, &theirs) != 0) return processors;
  if (sched_getaffinity(0, sizeof ours, &ours) != 0) return processors;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &theirs) && !CPU_ISSET(cpu, &ours)) processors.push_back(cpu);
  }
  return processors;
}

void validate_binding(const Config& config, std::size_t usable, int processes) {
  const std::optional<Launch> launch = find_launch(config.mpi);
  const auto cores = static_cast<std::size_t>(std::max(0, config.cores));
  if (!launch.has_value() || config.is_simulated() || cores <= usable) return;
  const std::size_t withheld = withheld_processors().size();
  const std::size_t all = usable_processors().size() + withheld;
  // Without the binding, too, they may be too many.
  if (withheld == 0 || cores > all / static_cast<std::size_t>(processes)) return;
  throw UsageError(fmt::format(
      "cores: {} asked, and the launcher binds this process to {} of {} processors; {} lifts that",
      cores, usable, all, launch->unbind));
}

void report_idle_processors(const Launch& launch, const std::vector<std::vector<int>>& usable) {
  const std::vector<int> idle = left_over(withheld_processors(), usable);
  if (idle.empty()) return;
  log_info(
      "the launcher binds the locales of this machine, and {} of its processors {} idle; {} lifts "
      "that",
      idle.size(), idle.size() == 1 ? "stays" : "stay", launch.unbind);
}

}  // namespace grappa::internal
