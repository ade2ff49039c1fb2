#include "grappa/base/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <set>
#include <thread>
#include <vector>

#include "grappa/base/made_up_system.hpp"

namespace grappa::internal {
namespace {

using testing::ElementsAre;
using testing::Field;

std::vector<int> indexes_of(const std::vector<Cpu>& cpus) {
  std::vector<int> indexes;
  for (const Cpu& cpu : cpus) indexes.push_back(cpu.os_index);
  return indexes;
}

// In a thread of its own, which may be pinned without harm to others.
template <class F>
void in_own_thread(F&& f) {
  std::thread(std::forward<F>(f)).join();
}

TEST(UsableCpus, AreThereAndDistinct) {
  const std::vector<int> indexes = indexes_of(usable_cpus());
  ASSERT_FALSE(indexes.empty());
  EXPECT_EQ(std::set<int>(indexes.begin(), indexes.end()).size(), indexes.size());
}

TEST(UsableCpus, RespectTheAffinityMask) {
  in_own_thread([] {
    const std::vector<Cpu> all = usable_cpus();
    const int chosen = all.back().os_index;
    ASSERT_TRUE(pin_this_thread(chosen));
    EXPECT_THAT(usable_cpus(), ElementsAre(Field(&Cpu::os_index, chosen)));
  });
}

TEST(UsableCpus, RespectTheCgroupQuota) {
  MadeUpSystem system;
  system.use_v2("/job");
  system.write("/sys/fs/cgroup/job/cpu.max", "20000 100000\n");
  EXPECT_EQ(usable_cpus(system.root()).size(), 1u) << "a fifth of a processor is one";

  const std::size_t all = usable_cpus(MadeUpSystem().root()).size();
  if (all < 2) GTEST_SKIP() << "needs two processors";
  system.write("/sys/fs/cgroup/job/cpu.max", "110000 100000\n");
  EXPECT_EQ(usable_cpus(system.root()).size(), 2u) << "parts of a processor are rounded up";
  system.write("/sys/fs/cgroup/job/cpu.max", "100000000 100000\n");
  EXPECT_EQ(usable_cpus(system.root()).size(), all) << "a quota does not add processors";
}

// Two physical cores of two hardware threads, numbered as kernels do: siblings are 0, 2 and 1, 3.
TEST(OrderCpus, FillsPhysicalCoresBeforeTheirSecondThreads) {
  std::vector<Cpu> cpus = {{.os_index = 0, .physical_core = 0},
                           {.os_index = 2, .physical_core = 0},
                           {.os_index = 1, .physical_core = 1},
                           {.os_index = 3, .physical_core = 1}};
  order_cpus(cpus);
  EXPECT_THAT(indexes_of(cpus), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(cpus[1].smt_rank, 0);
  EXPECT_EQ(cpus[2].smt_rank, 1);
}

TEST(OrderCpus, FollowsTheMachineAndNotTheNumbers) {
  std::vector<Cpu> cpus = {{.os_index = 0, .physical_core = 0},
                           {.os_index = 1, .physical_core = 0},
                           {.os_index = 2, .physical_core = 1},
                           {.os_index = 3, .physical_core = 1}};
  order_cpus(cpus);
  EXPECT_THAT(indexes_of(cpus), ElementsAre(0, 2, 1, 3));
}

// The first thread of a core may be outside the affinity mask: its sibling then counts as first.
TEST(OrderCpus, RanksWhatIsUsable) {
  std::vector<Cpu> cpus = {{.os_index = 3, .physical_core = 1},
                           {.os_index = 2, .physical_core = 0},
                           {.os_index = 0, .physical_core = 0}};
  order_cpus(cpus);
  EXPECT_THAT(indexes_of(cpus), ElementsAre(0, 3, 2));
  EXPECT_EQ(cpus[1].smt_rank, 0);
}

TEST(PinThisThread, MovesTheThread) {
  in_own_thread([] {
    for (const Cpu& cpu : usable_cpus()) {
      const AffinityKeeper keeper;
      ASSERT_TRUE(pin_this_thread(cpu.os_index));
      EXPECT_EQ(sched_getcpu(), cpu.os_index);
    }
  });
}

TEST(PinThisThread, ToWhatIsNotThereFailsSoftly) {
  in_own_thread([] {
    const std::vector<int> before = indexes_of(usable_cpus());
    EXPECT_FALSE(pin_this_thread(-1));
    EXPECT_FALSE(pin_this_thread(65535));
    EXPECT_FALSE(pin_this_thread(1 << 30));
    EXPECT_EQ(indexes_of(usable_cpus()), before);
  });
}

TEST(AffinityKeeper, PutsTheMaskBack) {
  in_own_thread([] {
    const std::vector<int> before = indexes_of(usable_cpus());
    {
      const AffinityKeeper keeper;
      ASSERT_TRUE(pin_this_thread(before.front()));
      EXPECT_EQ(usable_cpus().size(), 1u);
    }
    EXPECT_EQ(indexes_of(usable_cpus()), before);
  });
}

TEST(Memory, OfThisMachineMakesSense) {
  EXPECT_GT(total_memory_bytes(), 64u << 20);
  EXPECT_GT(usable_memory_bytes(), 0u);
  EXPECT_LE(usable_memory_bytes(), total_memory_bytes());
}

TEST(Memory, IsTheLesserOfMachineAndCgroup) {
  MadeUpSystem system;
  system.use_v2("/job");
  system.write("/proc/meminfo",
               "MemTotal:        8000 kB\nMemFree:         1000 kB\nMemAvailable:    6000 kB\n"
               "HugePages_Total:       3\n");
  EXPECT_EQ(usable_memory_bytes(system.root()), 6000u * 1024);
  EXPECT_EQ(total_memory_bytes(system.root()), 8000u * 1024);

  system.write("/sys/fs/cgroup/job/memory.max", "1024000\n");
  system.write("/sys/fs/cgroup/job/memory.current", "24000\n");
  EXPECT_EQ(usable_memory_bytes(system.root()), 1'000'000u);
  EXPECT_EQ(total_memory_bytes(system.root()), 1'024'000u);
}

TEST(Memory, IsAskedFromTheKernelWhereProcIsMissing) {
  const MadeUpSystem empty;
  EXPECT_GT(usable_memory_bytes(empty.root()), 0u);
  EXPECT_GT(total_memory_bytes(empty.root()), 0u);
}

}  // namespace
}  // namespace grappa::internal
