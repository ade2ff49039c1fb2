#include "grappa/transport/mpi/launcher.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

// An environment in which only these variables speak of launchers, for the life of the object.
class Environment {
 public:
  Environment(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const char* name :
         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMIX_NAMESPACE", "PMI_RANK",
          "PMI_SIZE", "PMI_FD", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "HYDI_CONTROL_FD",
          "SLURM_JOB_ID", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_ID",
          "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"}) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      unsetenv(name);
    }
    for (const auto& [name, value] : variables) {
      setenv(name, value, 1);
      set_.emplace_back(name);
    }
  }
  ~Environment() {
    for (const std::string& name : set_) unsetenv(name.c_str());
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<std::string, std::string> before_;
  std::vector<std::string> set_;
};

void expect_launch(const std::optional<Launch>& launch, const char* library, int size,
                   const char* unbind) {
  ASSERT_TRUE(launch.has_value());
  EXPECT_EQ(launch->library, library);
  EXPECT_EQ(launch->size, size);
  EXPECT_EQ(launch->unbind, unbind);
}

TEST(Launcher, StartedAloneIsNoLaunch) {
  const Environment environment{};
  EXPECT_FALSE(find_launch(MpiChoice::kAuto).has_value());
  EXPECT_FALSE(find_launch(MpiChoice::kOpenMpi).has_value());
}

TEST(Launcher, MpirunOfOpenMpi) {
  // It sets what PMIx wants, too.
  const Environment environment{{"OMPI_COMM_WORLD_RANK", "1"},
                                {"OMPI_COMM_WORLD_SIZE", "4"},
                                {"PMIX_RANK", "1"},
                                {"PMIX_NAMESPACE", "1234"}};
  const auto launch = find_launch(MpiChoice::kAuto);
  expect_launch(launch, "openmpi", 4, "mpirun --bind-to none");
  EXPECT_EQ(launch->clue, "OMPI_COMM_WORLD_RANK");
}

TEST(Launcher, HydraOfMpich) {
  const Environment environment{{"PMI_RANK", "0"},        {"PMI_SIZE", "3"},
                                {"PMI_FD", "6"},          {"MPI_LOCALRANKID", "0"},
                                {"MPI_LOCALNRANKS", "3"}, {"HYDI_CONTROL_FD", "7"}};
  const auto launch = find_launch(MpiChoice::kAuto);
  expect_launch(launch, "mpich", 3, "mpirun -bind-to none");
  EXPECT_EQ(launch->clue, "PMI_RANK");
}

TEST(Launcher, SrunWithPmi) {
  const Environment environment{{"SLURM_JOB_ID", "17"}, {"SLURM_STEP_ID", "0"},
                                {"SLURM_PROCID", "2"},  {"SLURM_STEP_NUM_TASKS", "8"},
                                {"PMI_RANK", "2"},      {"PMI_SIZE", "8"}};
  expect_launch(find_launch(MpiChoice::kAuto), "mpich", 8, "srun --cpu-bind=none");
}

TEST(Launcher, SrunWithPmix) {
  // The step has fewer tasks than the job has been given.
  const Environment environment{{"SLURM_JOB_ID", "17"},
                                {"SLURM_STEP_ID", "3"},
                                {"SLURM_PROCID", "0"},
                                {"SLURM_STEP_NUM_TASKS", "2"},
                                {"SLURM_NTASKS", "8"},
                                {"PMIX_RANK", "0"},
                                {"PMIX_NAMESPACE", "slurm.pmix.17.3"}};
  expect_launch(find_launch(MpiChoice::kAuto), "openmpi", 2, "srun --cpu-bind=none");
}

TEST(Launcher, APmixServerThatDoesNotSayHowMany) {
  const Environment environment{{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "prterun-host-1@1"}};
  expect_launch(find_launch(MpiChoice::kAuto), "openmpi", 0,
                "a launcher's option such as --bind-to none");
}

TEST(Launcher, MpirunInsideOfAStepOfSlurm) {
  // Both launchers use srun to reach other machines, and pass its variables on.
  const Environment environment{{"SLURM_STEP_ID", "0"},   {"SLURM_PROCID", "1"},
                                {"PMI_RANK", "5"},        {"PMI_SIZE", "8"},
                                {"MPI_LOCALRANKID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}};
  expect_launch(find_launch(MpiChoice::kAuto), "mpich", 8, "mpirun -bind-to none");
}

TEST(Launcher, AnAllocationOfSlurmIsNoLaunch) {
  // As in a script of sbatch and in a shell of salloc.
  const Environment environment{
      {"SLURM_JOB_ID", "17"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_NPROCS", "8"}};
  EXPECT_FALSE(find_launch(MpiChoice::kAuto).has_value());
}

TEST(Launcher, ProcessesThatSrunStartsWithoutMpiAreWarned) {
  const auto warning = [](const char* tasks, const char* rank, const char* pmi) {
    const Environment environment{{"SLURM_STEP_ID", "0"},
                                  {"SLURM_STEP_NUM_TASKS", tasks},
                                  {"SLURM_PROCID", rank},
                                  {pmi, "0"}};
    return warning_of_lonely_processes().value_or("");
  };
  EXPECT_NE(warning("4", "0", "SLURM_LOCALID").find("srun has started 4 processes"),
            std::string::npos);
  EXPECT_EQ(warning("4", "1", "SLURM_LOCALID"), "") << "one of them says it";
  EXPECT_EQ(warning("1", "0", "SLURM_LOCALID"), "");
  EXPECT_EQ(warning("4", "0", "PMI_RANK"), "");
  EXPECT_EQ(warning("4", "0", "PMIX_RANK"), "");
  const Environment allocation{
      {"SLURM_JOB_ID", "17"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}};
  EXPECT_FALSE(warning_of_lonely_processes().has_value());
}

TEST(Launcher, AChoiceOfLibraryWins) {
  const Environment environment{{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}};
  EXPECT_EQ(find_launch(MpiChoice::kMpich)->library, "mpich");
  EXPECT_EQ(find_launch(MpiChoice::kOpenMpi)->library, "openmpi");
  EXPECT_FALSE(find_launch(MpiChoice::kNone).has_value());
}

// What `test` returns, 0 if all is well, in a child that is bound to one of our processors.
template <class F>
int status_of_bound_child(const cpu_set_t& ours, F&& test) {
  const pid_t child = fork();
  if (child == 0) {
    if (!withheld_processors().empty()) _exit(1);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &ours)) CPU_SET(cpu, &one);
    }
    if (sched_setaffinity(0, sizeof one, &one) != 0) _exit(2);
    _exit(test());
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class BoundLaunch : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sched_getaffinity(0, sizeof ours_, &ours_), 0);
    if (CPU_COUNT(&ours_) < 2) GTEST_SKIP() << "one processor cannot be divided";
  }
  cpu_set_t ours_;
};

TEST_F(BoundLaunch, WithholdsWhatItsParentHas) {
  const auto test = [&] {
    return std::ssize(withheld_processors()) == CPU_COUNT(&ours_) - 1 ? 0 : 3;
  };
  EXPECT_EQ(status_of_bound_child(ours_, test), 0);
}

TEST_F(BoundLaunch, SaysHowToHaveMoreCores) {
  const Environment environment{{"OMPI_COMM_WORLD_RANK", "0"}};
  Config config;
  config.cores = 2;
  EXPECT_NO_THROW(validate_binding(config, 2, 1)) << "they are there";
  EXPECT_NO_THROW(validate_binding(config, 1, 1)) << "nothing is withheld";
  const auto test = [&] {
    validate_binding(config, 1, CPU_COUNT(&ours_));  // less than two cores each without it, too
    try {
      validate_binding(config, 1, 1);
    } catch (const UsageError& error) {
      return std::string_view(error.what()).ends_with("mpirun --bind-to none lifts that") ? 0 : 3;
    }
    return 4;
  };
  EXPECT_EQ(status_of_bound_child(ours_, test), 0);
}

}  // namespace
}  // namespace grappa::internal
