#include "grappa/base/cgroup.hpp"

#include <gtest/gtest.h>

#include "grappa/base/made_up_system.hpp"

namespace grappa::internal {
namespace {

TEST(CgroupCpuLimit, ReadsTheQuotaOfV2) {
  MadeUpSystem system;
  system.use_v2("/job");
  system.write("/sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_cpu_limit(system.root()), 1.5);
}

TEST(CgroupCpuLimit, ReadsTheQuotaOfV1) {
  MadeUpSystem system;
  system.use_v1("/job");
  system.write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  system.write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(cgroup_cpu_limit(system.root()), 3.0);
}

TEST(CgroupCpuLimit, NoQuotaIsNoLimit) {
  MadeUpSystem v2;
  v2.use_v2("/job");
  v2.write("/sys/fs/cgroup/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cpu_limit(v2.root()), 0);

  MadeUpSystem v1;
  v1.use_v1("/job");
  v1.write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  v1.write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_limit(v1.root()), 0);
}

TEST(CgroupCpuLimit, TheStrictestLevelCounts) {
  MadeUpSystem system;
  system.use_v2("/user/job/step");
  system.write("/sys/fs/cgroup/user/job/step/cpu.max", "800000 100000\n");
  system.write("/sys/fs/cgroup/user/job/cpu.max", "200000 100000\n");
  system.write("/sys/fs/cgroup/user/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_cpu_limit(system.root()), 2.0);
}

// A container with a namespace of its own sees its group as the root of the hierarchy.
TEST(CgroupCpuLimit, AppliesAtTheVisibleRoot) {
  MadeUpSystem system;
  system.use_v2("/");
  system.write("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_cpu_limit(system.root()), 1.0);
}

// Without a namespace, the container's group is named from outside but mounted alone.
TEST(CgroupCpuLimit, FindsAGroupThatIsMountedAlone) {
  MadeUpSystem system;
  system.use_v2("/docker/abc/inner", "/docker/abc");
  system.write("/sys/fs/cgroup/inner/cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_cpu_limit(system.root()), 4.0);
}

TEST(CgroupCpuLimit, AGroupOutsideTheMountIsTakenForItsRoot) {
  for (const char* group : {"/elsewhere", "/../../other"}) {
    MadeUpSystem system;
    system.use_v2(group, group[1] == '.' ? "/" : "/docker/abc");
    system.write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    EXPECT_DOUBLE_EQ(cgroup_cpu_limit(system.root()), 2.0) << group;
  }
}

TEST(CgroupMemory, CountsDroppablePagesAsFree) {
  MadeUpSystem system;
  system.use_v2("/job");
  system.write("/sys/fs/cgroup/job/memory.max", "1000000\n");
  system.write("/sys/fs/cgroup/job/memory.current", "600000\n");
  system.write("/sys/fs/cgroup/job/memory.stat", "anon 300000\ninactive_file 250000\n");
  const CgroupMemory memory = cgroup_memory(system.root());
  EXPECT_EQ(memory.limit, 1'000'000u);
  EXPECT_EQ(memory.left, 650'000u);
}

TEST(CgroupMemory, ReadsV1) {
  MadeUpSystem system;
  system.use_v1("/job");
  system.write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000000\n");
  system.write("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "600000\n");
  system.write("/sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file 100000\n");
  // The root of v1 has a limit that means none.
  system.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const CgroupMemory memory = cgroup_memory(system.root());
  EXPECT_EQ(memory.limit, 1'000'000u);
  EXPECT_EQ(memory.left, 500'000u);
}

TEST(CgroupMemory, LimitAndRestMayComeFromDifferentLevels) {
  MadeUpSystem system;
  system.use_v2("/user/job");
  system.write("/sys/fs/cgroup/user/job/memory.max", "1000\n");
  system.write("/sys/fs/cgroup/user/job/memory.current", "100\n");
  system.write("/sys/fs/cgroup/user/memory.max", "5000\n");
  system.write("/sys/fs/cgroup/user/memory.current", "4800\n");
  const CgroupMemory memory = cgroup_memory(system.root());
  EXPECT_EQ(memory.limit, 1000u);
  EXPECT_EQ(memory.left, 200u);
}

TEST(CgroupMemory, UseAboveTheLimitLeavesNothing) {
  MadeUpSystem system;
  system.use_v2("/job");
  system.write("/sys/fs/cgroup/job/memory.max", "1000\n");
  system.write("/sys/fs/cgroup/job/memory.current", "1200\n");
  EXPECT_EQ(cgroup_memory(system.root()).left, 0u);
}

TEST(Cgroup, MissingAndUnreadableFilesSetNoLimit) {
  MadeUpSystem empty;
  EXPECT_EQ(cgroup_cpu_limit(empty.root()), 0);
  EXPECT_EQ(cgroup_memory(empty.root()).left, CgroupMemory::kUnlimited);

  MadeUpSystem garbage;
  garbage.write("/proc/self/cgroup", "0::/job\nnonsense\n::\n");
  garbage.write("/proc/self/mountinfo",
                "short\n1 2 - cgroup2\n30 22 0:26 / /cg rw - cgroup2 c rw\n");
  garbage.write("/cg/job/cpu.max", "fast\n");
  garbage.write("/cg/job/memory.max", "max\n");
  garbage.write("/cg/memory.max", "\n");
  EXPECT_EQ(cgroup_cpu_limit(garbage.root()), 0);
  EXPECT_EQ(cgroup_memory(garbage.root()).limit, CgroupMemory::kUnlimited);
}

}  // namespace
}  // namespace grappa::internal
