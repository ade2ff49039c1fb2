#include "grappa/base/this_machine.hpp"

#include <fstream>

namespace grappa::internal {

std::string this_machine() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

}  // namespace grappa::internal
