#pragma once

// The option --engine of kernels that there are as vertex programs, too.

#include <string>

#include "cli/command_line.hpp"
#include "grappa/graph/framework/programs/program_kernels.hpp"

namespace grappa::cli {

class EngineOption {
 public:
  void add_to(CommandLine& line);
  /// False: the kernel that is written for the purpose.
  bool is_program() const { return name_ != "direct"; }
  /// Whether vertices become active in rounds and not by priority.
  bool is_in_rounds() const { return name_ == "sync"; }
  graph::Engine engine() const {
    return is_in_rounds() ? graph::Engine::kSynchronous : graph::Engine::kAsynchronous;
  }
  /// Vertex programs do not save what they have done: throws UsageError.
  void check_checkpoints(bool given) const;

 private:
  std::string name_ = "direct";
};

}  // namespace grappa::cli
