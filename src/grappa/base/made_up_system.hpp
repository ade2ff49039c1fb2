#pragma once

// For tests: a /proc and /sys in a temporary folder, removed at the end.
//
//   MadeUpSystem system;
//   system.write("/proc/meminfo", "MemAvailable: 1000 kB\n");
//   usable_memory_bytes(system.root());

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "grappa/base/cgroup.hpp"

namespace grappa::internal {

class MadeUpSystem {
 public:
  MadeUpSystem() {
    std::string name = (std::filesystem::temp_directory_path() / "grappa-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
    root_.prefix = name;
  }
  ~MadeUpSystem() {
    std::error_code ignored;
    std::filesystem::remove_all(root_.prefix, ignored);
  }
  MadeUpSystem(const MadeUpSystem&) = delete;
  MadeUpSystem& operator=(const MadeUpSystem&) = delete;

  const SystemRoot& root() const { return root_; }

  void write(const std::string& path, std::string_view text) {
    const std::filesystem::path file = root_.path(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  /// A process in `group` of cgroup v2, of which `visible_root` is mounted.
  void use_v2(const std::string& group, const std::string& visible_root = "/") {
    write("/proc/self/cgroup", "0::" + group + "\n");
    write("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 22 0:26 " +
                                      visible_root +
                                      " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 "
                                      "rw,nsdelegate\n");
  }

  /// A process in `group` of the cpu and memory controllers of cgroup v1, as in a hybrid system.
  void use_v1(const std::string& group) {
    write("/proc/self/cgroup",
          "4:memory:" + group + "\n3:cpuset:/\n2:cpu,cpuacct:" + group + "\n0::/\n");
    write("/proc/self/mountinfo",
          "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
          "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
          "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
          "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  }

 private:
  SystemRoot root_;
};

}  // namespace grappa::internal
