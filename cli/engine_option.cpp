#include "cli/engine_option.hpp"

#include "grappa/base/error.hpp"

namespace grappa::cli {

void EngineOption::add_to(CommandLine& line) {
  line.add_choice(
      "Kernel", "--engine", name_, {"direct", "sync", "async"},
      "how it is computed: by code for this kernel (direct), or as a vertex program, in "
      "synchronous rounds (sync) or asynchronously by priority (async)");
}

void EngineOption::check_checkpoints(bool given) const {
  if (given && is_program())
    throw UsageError("--checkpoint: only with --engine direct; vertex programs save nothing");
}

}  // namespace grappa::cli
