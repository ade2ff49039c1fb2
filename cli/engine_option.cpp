#include "cli/engine_option.hpp"

#include <CLI/CLI.hpp>

#include "grappa/base/error.hpp"

namespace grappa::cli {

void EngineOption::add_to(CommandLine& line) {
  line.app()
      .add_option("--engine", name_,
                  "what computes it: direct (written for this kernel), or the same as a vertex "
                  "program, in synchronous rounds (sync) or asynchronously by priority (async)")
      ->type_name("NAME")
      ->group("Kernel")
      ->check(CLI::IsMember({"direct", "sync", "async"}))
      ->capture_default_str();
}

void EngineOption::refuse_checkpoint(const graph::Checkpoint* checkpoint) const {
  if (checkpoint != nullptr && is_program())
    throw UsageError("--checkpoint: only with --engine direct; vertex programs save nothing");
}

}  // namespace grappa::cli
