#include "grappa/base/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace grappa::internal {
namespace {

namespace fs = std::filesystem;

enum class Version { kV1, kV2 };

// The directories of one controller, from the process's own group up to the visible root.
struct Hierarchy {
  Version version = Version::kV2;
  std::vector<fs::path> directories;
};

bool lists(std::string_view comma_separated, std::string_view word) {
  while (!comma_separated.empty()) {
    const std::size_t comma = comma_separated.find(',');
    if (comma_separated.substr(0, comma) == word) return true;
    if (comma == std::string_view::npos) break;
    comma_separated.remove_prefix(comma + 1);
  }
  return false;
}

// The group of this process: lines of /proc/self/cgroup read "id:controllers:path", with id 0 and
// no controllers for v2.
std::optional<std::string> own_group(const SystemRoot& root, Version version,
                                     std::string_view controller) {
  std::ifstream file(root.path("/proc/self/cgroup"));
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers =
        std::string_view(line).substr(first + 1, second - first - 1);
    const bool matches = version == Version::kV2 ? line.starts_with("0::")  //
                                                 : lists(controllers, controller);
    if (matches) return line.substr(second + 1);
  }
  return std::nullopt;
}

struct Mount {
  std::string root;   // the group that is visible as the mount point
  std::string point;  // where it is mounted
};

// Lines of mountinfo: "id parent device root point options [tags] - type source super-options".
std::optional<Mount> find_mount(const SystemRoot& root, Version version,
                                std::string_view controller) {
  std::ifstream file(root.path("/proc/self/mountinfo"));
  for (std::string line; std::getline(file, line);) {
    const std::size_t separator = line.find(" - ");
    if (separator == std::string::npos) continue;
    std::istringstream head(line.substr(0, separator));
    std::istringstream tail(line.substr(separator + 3));
    std::string skipped;
    std::string type;
    std::string source;
    std::string options;
    Mount mount;
    if (!(head >> skipped >> skipped >> skipped >> mount.root >> mount.point)) continue;
    if (!(tail >> type >> source >> options)) continue;
    const bool matches = version == Version::kV2 ? type == "cgroup2"
                                                 : type == "cgroup" && lists(options, controller);
    if (matches) return mount;
  }
  return std::nullopt;
}

Hierarchy find_hierarchy(const SystemRoot& root, Version version, std::string_view controller) {
  Hierarchy hierarchy{version, {}};
  const auto group = own_group(root, version, controller);
  const auto mount = find_mount(root, version, controller);
  if (!group || !mount) return hierarchy;

  // In a container the mount may show only a part of the tree, or the group may be named as seen
  // from outside; what cannot be placed below the mount point is taken to be the mount point.
  std::string below = *group;
  if (mount->root != "/") {
    below = below.starts_with(mount->root) ? below.substr(mount->root.size()) : std::string();
  }
  const fs::path point = root.path(mount->point);
  fs::path relative = fs::path(below).relative_path().lexically_normal();
  if (!relative.empty() && *relative.begin() == "..") relative.clear();
  while (!relative.empty()) {
    hierarchy.directories.push_back(point / relative);
    relative = relative.parent_path();
  }
  hierarchy.directories.push_back(point);
  return hierarchy;
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// A byte count, or nothing for "max", for a missing file, and for v1's "no limit" (a number near
// 2^63).
std::optional<std::uint64_t> read_bytes(const fs::path& path) {
  std::uint64_t value = 0;
  if (!(std::istringstream(first_line(path)) >> value)) return std::nullopt;
  if (value >= std::uint64_t{1} << 62) return std::nullopt;
  return value;
}

// The value of one line "key value" of memory.stat; 0 if there is none.
std::uint64_t read_stat(const fs::path& path, std::string_view wanted) {
  std::ifstream file(path);
  std::string key;
  for (std::uint64_t value = 0; file >> key >> value;) {
    if (key == wanted) return value;
  }
  return 0;
}

double cpu_limit_of(const fs::path& directory, Version version) {
  double quota = 0;
  double period = 0;
  if (version == Version::kV2) {
    std::istringstream line(first_line(directory / "cpu.max"));  // "max 100000", "150000 100000"
    if (!(line >> quota >> period)) return 0;
  } else {
    std::istringstream quota_line(first_line(directory / "cpu.cfs_quota_us"));  // -1: none
    std::istringstream period_line(first_line(directory / "cpu.cfs_period_us"));
    if (!(quota_line >> quota) || !(period_line >> period)) return 0;
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

void apply_memory_limit(CgroupMemory& memory, const fs::path& directory, Version version) {
  const bool v2 = version == Version::kV2;
  const auto limit = read_bytes(directory / (v2 ? "memory.max" : "memory.limit_in_bytes"));
  if (!limit) return;
  const auto usage = read_bytes(directory / (v2 ? "memory.current" : "memory.usage_in_bytes"));
  const std::uint64_t used = usage.value_or(0);
  const std::uint64_t droppable =
      read_stat(directory / "memory.stat", v2 ? "inactive_file" : "total_inactive_file");
  const std::uint64_t held = used - std::min(used, droppable);
  memory.limit = std::min(memory.limit, *limit);
  memory.left = std::min(memory.left, *limit - std::min(*limit, held));
}

}  // namespace

double cgroup_cpu_limit(const SystemRoot& root) {
  double strictest = 0;
  for (const Version version : {Version::kV1, Version::kV2}) {
    for (const fs::path& directory : find_hierarchy(root, version, "cpu").directories) {
      const double limit = cpu_limit_of(directory, version);
      if (limit > 0 && (strictest == 0 || limit < strictest)) strictest = limit;
    }
  }
  return strictest;
}

CgroupMemory cgroup_memory(const SystemRoot& root) {
  CgroupMemory memory;
  for (const Version version : {Version::kV1, Version::kV2}) {
    for (const fs::path& directory : find_hierarchy(root, version, "memory").directories) {
      apply_memory_limit(memory, directory, version);
    }
  }
  return memory;
}

}  // namespace grappa::internal
