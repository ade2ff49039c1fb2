#include "bench/baseline_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/transport/mpi/launcher.hpp"

namespace grappa::bench {
namespace {

using Words = std::vector<std::string>;

std::string first_existing(const Words& paths) {
  for (const std::string& path : paths) {
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

bool can_run(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

std::string python_path() {
  if (const char* chosen = std::getenv("GRAPPA_BASELINE_PYTHON")) return chosen;
  return GRAPPA_BASELINE_PYTHON_BUILD;
}

std::string pbgl_path() {
  if (const char* chosen = std::getenv("GRAPPA_BASELINE_PBGL")) return chosen;
  const std::string path = first_existing({GRAPPA_PBGL_BUILD, GRAPPA_PBGL_INSTALL});
  return path.empty() ? GRAPPA_PBGL_BUILD : path;
}

/// The environment without the variables that begin with one of `prefixes`, and with `settings`.
Words environment_with(const Words& settings, const Words& prefixes) {
  const auto is_left_out = [&](std::string_view variable) {
    const auto is_set = [&](const std::string& each) {
      return variable.starts_with(std::string_view(each).substr(0, each.find('=') + 1));
    };
    const auto begins = [&](const std::string& prefix) { return variable.starts_with(prefix); };
    return std::ranges::any_of(settings, is_set) || std::ranges::any_of(prefixes, begins);
  };
  Words all = settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_left_out(*entry)) all.emplace_back(*entry);
  }
  return all;
}

std::vector<int> at_most(std::vector<int> processors, int count) {
  processors.resize(std::min(processors.size(), static_cast<std::size_t>(count)));
  return processors;
}

/// Of a script in bench/baselines, whose first argument is the name.
BaselineProgram python_program(const std::string& script, const std::string& name,
                               const std::string& wanted_by, int threads,
                               const std::string& installed_by = "scripts/setup --baselines") {
  const std::string python = python_path();
  if (!can_run(python))
    throw UsageError(
        fmt::format("{}: there is no Python with its packages at {}: {} makes one, or "
                    "GRAPPA_BASELINE_PYTHON names another",
                    wanted_by, python, installed_by));
  const std::string worker = first_existing(
      {GRAPPA_BASELINES_SOURCE_DIR "/" + script, GRAPPA_BASELINES_INSTALL_DIR "/" + script});
  if (worker.empty())
    throw UsageError(fmt::format("{}: {} is neither in {} nor in {}", wanted_by, script,
                                 GRAPPA_BASELINES_SOURCE_DIR, GRAPPA_BASELINES_INSTALL_DIR));
  return {.name = name,
          .wanted_by = wanted_by,
          .installed_by = installed_by,
          .words = {python, worker, name},
          .environment = environment_with(
              {fmt::format("OMP_NUM_THREADS={}", threads), "OMP_DYNAMIC=false",
               "OPENBLAS_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1"},
              {}),
          .processors = at_most(internal::usable_processors(), threads)};
}

}  // namespace

BaselineProgram kernel_baseline(const std::string& name, int threads) {
  return python_program("worker.py", name, "--baseline " + name, threads);
}

BaselineProgram query_baseline(const std::string& name, int threads, std::uint64_t memory_bytes) {
  BaselineProgram program =
      python_program("query_worker.py", name, "--baseline " + name, threads,
                     name == "spark" ? "scripts/setup --spark" : "scripts/setup --baselines");
  program.words.push_back(std::to_string(threads));
  program.words.push_back(std::to_string(memory_bytes));
  return program;
}

BaselineProgram query_set_generator(const std::string& set) {
  const auto threads = static_cast<int>(internal::usable_processors().size());
  BaselineProgram program =
      python_program("query_worker.py", set, "making the tables of " + set, threads);
  program.words.push_back(std::to_string(threads));
  program.words.emplace_back("0");
  return program;
}

BaselineProgram pbgl_baseline(int processes) {
  const std::string worker = pbgl_path();
  if (!can_run(worker))
    throw UsageError(fmt::format(
        "--baseline pbgl: there is no program at {}: scripts/setup --baselines installs Debian's "
        "libboost-graph-parallel-dev, then 'cmake --preset release && cmake --build --preset "
        "release' builds it; or GRAPPA_BASELINE_PBGL names another",
        worker));
  const std::string launcher = GRAPPA_PBGL_LAUNCHER;
  if (!can_run(launcher))
    throw UsageError(fmt::format(
        "--baseline pbgl: there is no launcher at {}: Debian's openmpi-bin has it", launcher));
  Words settings = {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
  // Who shares its processors with others wants it; otherwise the launcher's own choice is best.
  if (const char* yields = std::getenv("OMPI_MCA_mpi_yield_when_idle"))
    settings.push_back(fmt::format("OMPI_MCA_mpi_yield_when_idle={}", yields));
  std::vector<int> processors = internal::usable_processors();
  if (internal::find_launch(MpiChoice::kAuto)) {
    const std::vector<int> withheld = internal::withheld_processors();
    processors.insert(processors.end(), withheld.begin(), withheld.end());
  }
  return {
      .name = "pbgl",
      .wanted_by = "--baseline pbgl",
      .installed_by = "scripts/setup --baselines",
      .words = {launcher, "--oversubscribe", "--bind-to", "none", "-n", std::to_string(processes),
                worker},
      // A launcher that finds the variables of a job takes itself for a part of that.
      .environment = environment_with(settings, {"OMPI_", "OPAL_", "ORTE_", "PRTE_", "PMI",
                                                 "MPI_LOCAL", "HYD", "MPIR_", "SLURM_", "PBS_"}),
      .processors = at_most(std::move(processors), processes)};
}

}  // namespace grappa::bench
