#include "cli/checkpoint_options.hpp"

#include "grappa/base/error.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kCheckpointGroup = "Checkpoints";
constexpr const char* kUsualInterval = "10min";

}  // namespace

void CheckpointFlags::add_options(CommandLine& line) {
  line.add_text(kCheckpointGroup, "--checkpoint", "DIR", folder_,
                "save what has been computed into this folder, now and then and at the end");
  line.add_text(kCheckpointGroup, "--checkpoint-every", "INTERVAL", every_,
                "how often: iterations (10), or a time with its unit (30s, 5min, 2h); 10min if "
                "not given");
  line.add_text(kCheckpointGroup, "--resume", "DIR", resume_,
                "go on from the checkpoint in this folder; the graph and what is computed must be "
                "the same, locales and cores may differ");
}

std::optional<graph::Checkpoint> CheckpointFlags::open(const std::string& kernel,
                                                       std::int64_t trials) const {
  if (!every_.empty() && folder_.empty())
    throw UsageError("--checkpoint-every: give the folder, too: --checkpoint DIR");
  if (!is_given()) return std::nullopt;
  if (trials > 1) throw UsageError("--trials: a run with checkpoints has one trial");
  graph::Interval every;
  try {
    every = graph::parse_interval(every_.empty() ? kUsualInterval : every_);
  } catch (const UsageError& error) {
    throw UsageError(std::string("--checkpoint-every: ") + error.what());
  }
  return graph::Checkpoint(kernel, {.write = folder_, .resume = resume_, .every = every});
}

}  // namespace grappa::cli
