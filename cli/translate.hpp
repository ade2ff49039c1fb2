#pragma once

// The common part of generate and convert: a graph goes in, a file comes out.
//
//   Translation translation(source);
//   translation.add_options(line, "--to");    // OUT --to --simplify --quiet
//   if (!line.parse(arguments)) return 0;
//   translation.execute(line.config());

#include <string>

#include "cli/command_line.hpp"
#include "cli/graph_source.hpp"
#include "cli/output_options.hpp"
#include "grappa/graph/io/save.hpp"

namespace grappa::cli {

class Translation {
 public:
  explicit Translation(GraphSource& source) : source_(source) {}

  void add_options(CommandLine& line, const std::string& format_flag);
  /// The format of the file that is written. UsageError where it is not known.
  graph::Format target_format() const;
  bool target_is_weighted() const {
    return target_format() == graph::Format::kWeightedText ||
           target_format() == graph::Format::kGapWeighted;
  }
  void execute(const Config& config);

 private:
  GraphSource& source_;
  std::string path_;
  std::string format_flag_;
  std::string format_;
  bool simplify_ = false;
  bool quiet_ = false;
};

}  // namespace grappa::cli
