#include "python/module/kernels.hpp"

#include <memory>

#include "cli/checkpoint_options.hpp"
#include "cli/command_line.hpp"
#include "cli/kernels.hpp"

namespace grappa::python {

nb::list kernel_table() {
  nb::list table;
  for (const cli::KernelEntry& entry : cli::kernels()) {
    const std::unique_ptr<cli::Kernel> kernel = entry.make();
    const cli::KernelInfo& info = kernel->info();
    cli::CommandLine line(std::string(entry.name), "", info.description);
    kernel->add_options(line);
    cli::CheckpointFlags checkpoints;
    if (info.has_checkpoints) checkpoints.add_options(line);
    nb::list options;
    for (const cli::OptionHelp& option : line.options()) {
      if (option.group == "Kernel" || option.group == "Checkpoints")
        options.append(nb::make_tuple(option.names.c_str(), option.description.c_str()));
    }
    nb::dict of;
    of["name"] = std::string(entry.name).c_str();
    of["summary"] = std::string(entry.summary).c_str();
    of["title"] = std::string(info.title).c_str();
    of["description"] = info.description;
    of["value"] = info.value;
    of["options"] = options;
    table.append(of);
  }
  return table;
}

}  // namespace grappa::python
