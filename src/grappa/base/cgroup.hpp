#pragma once

// The limits that control groups set to this process, v1 and v2, containers included.
//
//   const double cpus = cgroup_cpu_limit();                 // 1.5 with a quota of 150 ms in 100 ms
//   const CgroupMemory memory = cgroup_memory();            // memory.left, memory.limit
//
// A limit may be set at any level between a process and the root of its hierarchy: all visible
// levels are read and the strictest counts. Files that are missing or unreadable set no limit.
// Thread safety: any thread. Reads files: not for hot paths. Nothing throws for what it reads.

#include <cstdint>
#include <filesystem>
#include <limits>

namespace grappa::internal {

/// Where the kernel's files are found. Tests put a made-up /proc and /sys below `prefix`.
struct SystemRoot {
  std::filesystem::path prefix;

  /// The file that is `absolute` on the running machine.
  std::filesystem::path path(const std::filesystem::path& absolute) const {
    return prefix.empty() ? absolute : prefix / absolute.relative_path();
  }
};

/// How many processors' worth of time the quotas grant; 0: no limit.
double cgroup_cpu_limit(const SystemRoot& root = {});

/// The strictest memory limit and what is left of it.
struct CgroupMemory {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t limit = kUnlimited;  // bytes
  std::uint64_t left = kUnlimited;   // bytes; cached file pages that can be dropped count as free
};

CgroupMemory cgroup_memory(const SystemRoot& root = {});

}  // namespace grappa::internal
