#include "grappa/base/topology.hpp"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace grappa::internal {
namespace {

// A cpu_set_t of any size: the fixed one ends at 1,024 processors.
class CpuSet {
 public:
  explicit CpuSet(int capacity) : capacity_(capacity), set_(CPU_ALLOC(capacity)) {
    if (set_ != nullptr) CPU_ZERO_S(bytes(), get());
  }

  cpu_set_t* get() const noexcept { return set_.get(); }
  std::size_t bytes() const noexcept { return CPU_ALLOC_SIZE(capacity_); }
  int capacity() const noexcept { return capacity_; }

 private:
  struct Free {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
  };
  int capacity_;
  std::unique_ptr<cpu_set_t, Free> set_;
};

constexpr int kMaxCpus = 1 << 16;

// The affinity mask of a thread, 0 for the calling one; empty if the kernel does not tell it.
std::vector<int> affinity_mask(pid_t thread = 0) {
  // The kernel refuses a set that is smaller than its own.
  for (int capacity = 1024; capacity <= kMaxCpus; capacity *= 2) {
    const CpuSet set(capacity);
    if (set.get() == nullptr || sched_getaffinity(thread, set.bytes(), set.get()) != 0) continue;
    std::vector<int> indexes;
    for (int i = 0; i < capacity; ++i) {
      if (CPU_ISSET_S(static_cast<std::size_t>(i), set.bytes(), set.get())) indexes.push_back(i);
    }
    return indexes;
  }
  return {};
}

bool set_affinity(const std::vector<int>& indexes) noexcept {
  if (indexes.empty()) return false;
  const auto [lowest, highest] = std::minmax_element(indexes.begin(), indexes.end());
  if (*lowest < 0 || *highest >= kMaxCpus) return false;
  const CpuSet set(*highest + 1);
  if (set.get() == nullptr) return false;
  for (const int i : indexes) CPU_SET_S(static_cast<std::size_t>(i), set.bytes(), set.get());
  return sched_setaffinity(0, set.bytes(), set.get()) == 0;
}

// hwloc with nothing loaded but processors, cores and NUMA nodes: about 1 ms.
class HwlocTopology {
 public:
  HwlocTopology() {
    // Without it, as in some containers, hwloc would only complain on standard error.
    if (access("/sys/devices/system/cpu", X_OK) != 0) return;
    if (hwloc_topology_init(&topology_) != 0) {
      topology_ = nullptr;
      return;
    }
    hwloc_topology_set_all_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    // It would have this thread ask each processor in turn, and wait for those that are busy; what
    // they answer the kernel has said already.
    hwloc_topology_set_components(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(topology_) != 0) {
      hwloc_topology_destroy(topology_);
      topology_ = nullptr;
    }
  }
  ~HwlocTopology() {
    if (topology_ != nullptr) hwloc_topology_destroy(topology_);
  }
  HwlocTopology(const HwlocTopology&) = delete;
  HwlocTopology& operator=(const HwlocTopology&) = delete;

  // A processor that hwloc does not know counts as a physical core of its own.
  Cpu describe(int os_index) const {
    Cpu cpu{
        .os_index = os_index, .physical_core = kMaxCpus + os_index, .smt_rank = 0, .numa_node = 0};
    const hwloc_obj_t pu = topology_ == nullptr ? nullptr
                                                : hwloc_get_pu_obj_by_os_index(
                                                      topology_, static_cast<unsigned>(os_index));
    if (pu == nullptr) return cpu;
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_CORE, pu);
    if (core != nullptr) cpu.physical_core = static_cast<int>(core->logical_index);
    const int node = hwloc_bitmap_first(pu->nodeset);
    if (node >= 0) cpu.numa_node = node;
    return cpu;
  }

 private:
  hwloc_topology_t topology_ = nullptr;
};

// One line "Key:   1234 kB" of /proc/meminfo, in bytes; 0 if there is none.
std::uint64_t meminfo_bytes(const SystemRoot& root, std::string_view wanted) {
  std::ifstream file(root.path("/proc/meminfo"));
  std::string key;
  std::uint64_t kib = 0;
  for (std::string rest; file >> key >> kib; std::getline(file, rest)) {
    if (key == wanted) return kib * 1024;
  }
  return 0;
}

std::uint64_t sysconf_bytes(int pages_name) {
  const long pages = sysconf(pages_name);
  const long page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page)
             : 0;
}

}  // namespace

std::vector<Cpu> usable_cpus(const SystemRoot& root) {
  std::vector<int> indexes = affinity_mask();
  if (indexes.empty()) indexes.push_back(std::max(0, sched_getcpu()));

  const HwlocTopology topology;
  std::vector<Cpu> cpus;
  cpus.reserve(indexes.size());
  for (const int index : indexes) cpus.push_back(topology.describe(index));
  order_cpus(cpus);

  const double limit = cgroup_cpu_limit(root);
  if (limit > 0 && limit < static_cast<double>(cpus.size())) {
    cpus.resize(std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(limit))));
  }
  return cpus;
}

void order_cpus(std::vector<Cpu>& cpus) {
  std::sort(cpus.begin(), cpus.end(),
            [](const Cpu& a, const Cpu& b) { return a.os_index < b.os_index; });
  std::map<int, int> seen;  // hardware threads of each physical core so far
  for (Cpu& cpu : cpus) cpu.smt_rank = seen[cpu.physical_core]++;
  std::sort(cpus.begin(), cpus.end(), [](const Cpu& a, const Cpu& b) {
    return a.smt_rank != b.smt_rank ? a.smt_rank < b.smt_rank : a.physical_core < b.physical_core;
  });
}

bool pin_this_thread(int os_index) noexcept { return set_affinity({os_index}); }

AffinityKeeper::AffinityKeeper() : os_indexes_(affinity_mask()) {}

AffinityKeeper::~AffinityKeeper() { set_affinity(os_indexes_); }

std::vector<int> usable_processors() {
  std::vector<int> processors;
  for (const Cpu& cpu : usable_cpus()) processors.push_back(cpu.os_index);
  return processors;
}

bool is_thread_narrowed() { return affinity_mask().size() < affinity_mask(getpid()).size(); }

int online_processors() noexcept {
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

std::uint64_t usable_memory_bytes(const SystemRoot& root) {
  std::uint64_t available = meminfo_bytes(root, "MemAvailable:");
  if (available == 0) available = sysconf_bytes(_SC_AVPHYS_PAGES);
  return std::min(available, cgroup_memory(root).left);
}

std::uint64_t total_memory_bytes(const SystemRoot& root) {
  std::uint64_t total = meminfo_bytes(root, "MemTotal:");
  if (total == 0) total = sysconf_bytes(_SC_PHYS_PAGES);
  return std::min(total, cgroup_memory(root).limit);
}

}  // namespace grappa::internal
