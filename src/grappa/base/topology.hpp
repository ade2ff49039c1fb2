#pragma once

// The machine as this process may use it: processors, pinning, memory.
//
//   std::vector<Cpu> cpus = usable_cpus();     // affinity mask and cgroup quota respected
//   pin_this_thread(cpus[0].os_index);
//
// A processor counts as usable when it is in the affinity mask; a cgroup quota (v1 or v2, at any
// level of the hierarchy) of q processors' time cuts the list to ceil(q). The order fills one
// hardware thread of every physical core before the second of any.
// Limits are read when asked, since they may change while a program runs.
// Thread safety: all functions may be called from any thread. None suspends a task, but all read
// files: not for hot paths.

#include <cstdint>
#include <vector>

#include "grappa/base/cgroup.hpp"

namespace grappa::internal {

/// One hardware thread.
struct Cpu {
  int os_index = 0;       // as the kernel numbers them
  int physical_core = 0;  // logical number of the physical core
  int smt_rank = 0;       // 0 for the first usable hardware thread of its core
  int numa_node = 0;
};

/// The processors that this process may use, best first; never empty.
std::vector<Cpu> usable_cpus(const SystemRoot& root = {});

/// Their numbers only.
std::vector<int> usable_processors();

/// Whether the calling thread may use fewer processors than the first one of the process.
bool is_thread_narrowed();

/// Processors of the machine that are running, whether this process may use them or not.
int online_processors() noexcept;

/// Puts processors in the order described above and sets smt_rank.
void order_cpus(std::vector<Cpu>& cpus);

/// Binds the calling thread to one processor. False, with nothing changed, where that is refused.
bool pin_this_thread(int os_index) noexcept;

/// Remembers the calling thread's affinity mask and puts it back when it goes out of scope, on the
/// same thread. Whoever pins a thread that is not its own holds one meanwhile: usable_cpus() starts
/// from the mask of its caller.
class AffinityKeeper {
 public:
  AffinityKeeper();
  ~AffinityKeeper();
  AffinityKeeper(const AffinityKeeper&) = delete;
  AffinityKeeper& operator=(const AffinityKeeper&) = delete;

 private:
  std::vector<int> os_indexes_;
};

/// Memory that can still be had: what the kernel calls available, and not more than the cgroup has
/// left (its page cache counts as free).
std::uint64_t usable_memory_bytes(const SystemRoot& root = {});

/// Memory of the machine, or of the cgroup if that is less.
std::uint64_t total_memory_bytes(const SystemRoot& root = {});

}  // namespace grappa::internal
