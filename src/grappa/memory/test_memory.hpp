#pragma once

// For tests: the global memory of one locale of a larger machine, without threads or messages.
//
//   TestMemory machine({.locales = 7, .cores_each = 3, .block = 256});
//   machine.enter(1);                   // the calling thread is core 1 of locale 0 from here on
//   machine.memory().locate_linear(…);

#include <cstddef>
#include <ostream>

#include "grappa/memory/locale_memory.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::internal {

struct MachineShape {
  int locales = 1;
  int cores_each = 1;
  std::size_t block = 64;  // of the global heap

  int cores() const { return locales * cores_each; }
  friend std::ostream& operator<<(std::ostream& out, const MachineShape& shape) {
    return out << shape.locales << " locales of " << shape.cores_each << " cores, blocks of "
               << shape.block;
  }
};

class TestMemory {
 public:
  explicit TestMemory(const MachineShape& shape, int locale = 0)
      : locale_(locale, shape.locales, shape.cores_each, config_for(shape)), memory_(locale_) {
    enter(0);
  }
  ~TestMemory() { set_current_core(nullptr); }
  TestMemory(const TestMemory&) = delete;
  TestMemory& operator=(const TestMemory&) = delete;

  LocaleMemory& memory() { return memory_; }
  Core& core(int index) { return *locale_.cores[static_cast<std::size_t>(index)]; }
  void enter(int index) { set_current_core(&core(index)); }

 private:
  static Config config_for(const MachineShape& shape) {
    Config config;
    config.cores = shape.cores_each;
    config.locales = shape.locales;
    config.heap_block_bytes = shape.block;
    return config;
  }

  Locale locale_;
  LocaleMemory memory_;
};

}  // namespace grappa::internal
