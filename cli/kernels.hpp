#pragma once

// The table of graph kernels: what the commands of the tool, help, completion, `bench kernels` and
// the tests know of them.
//
//   for (const KernelEntry& entry : kernels()) std::unique_ptr<Kernel> kernel = entry.make();

#include <memory>
#include <span>
#include <string_view>

#include "cli/kernel.hpp"

namespace grappa::cli {

struct KernelEntry {
  std::string_view name;     // of the command
  std::string_view summary;  // one line
  std::unique_ptr<Kernel> (*make)();
};

/// In the order in which help lists them.
std::span<const KernelEntry> kernels();

}  // namespace grappa::cli
