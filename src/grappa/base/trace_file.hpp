#pragma once

// The file of a timeline. It is opened before the run, so that a name that cannot be written is
// refused then, and appears whole at the end: when it cannot be written, what had its name stays.
//
//   TraceFile file("trace.json");
//   file.write({text_of_core_0, text_of_core_1});     // once
//
// When this process has written a timeline to the same name before, the events are added to it: the
// runs of a program follow one another. Errors: those of WholeFile.

#include <string>
#include <string_view>
#include <vector>

#include "grappa/base/whole_file.hpp"

namespace grappa::internal {

/// What named the timeline, for messages: --trace, or GRAPPA_TRACE.
const char* trace_option(std::string_view path);

class TraceFile {
 public:
  explicit TraceFile(std::string path);

  void write(const std::vector<std::string>& events);

 private:
  bool copy_earlier_runs();

  const std::string path_;
  WholeFile file_;
};

}  // namespace grappa::internal
