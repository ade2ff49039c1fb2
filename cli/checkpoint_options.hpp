#pragma once

// --checkpoint, --checkpoint-every and --resume, for kernels that can resume an earlier run.
//
//   CheckpointFlags flags;
//   flags.add_options(line);
//   if (!line.parse(arguments)) return 0;
//   std::optional<graph::Checkpoint> checkpoint = flags.open("pagerank", trials);

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command_line.hpp"
#include "grappa/graph/checkpoint/checkpoint.hpp"

namespace grappa::cli {

class CheckpointFlags {
 public:
  void add_options(CommandLine& line);

  bool is_given() const { return !folder_.empty() || !resume_.empty(); }
  /// The folder that is written to; empty if none is.
  const std::string& folder() const { return folder_; }

  /// Nothing where neither is wanted. Looks at the folders, before any work is done: UsageError or
  /// InputError for what is wrong with them, or with the flags.
  std::optional<graph::Checkpoint> open(const std::string& kernel, std::int64_t trials) const;

 private:
  std::string folder_;
  std::string every_;
  std::string resume_;
};

}  // namespace grappa::cli
