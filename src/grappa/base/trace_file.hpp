#pragma once

// The file of a timeline. It is opened before the run, so that a name that cannot be written is
// refused then, and written at the end.
//
//   TraceFile file("trace.json");
//   file.write({text_of_core_0, text_of_core_1});
//
// When this process has written a timeline to the same name before, the events are added to it: the
// runs of a program follow one another. Errors: UsageError if it cannot be created, Error if it
// cannot be written.

#include <string>
#include <string_view>
#include <vector>

namespace grappa::internal {

class TraceFile {
 public:
  explicit TraceFile(std::string path);
  // A file that was created and not written is removed.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void write(const std::vector<std::string>& events);

 private:
  void put(std::string_view bytes) const;

  const std::string path_;
  int descriptor_;
  bool created_;
  bool can_be_cut_;
};

}  // namespace grappa::internal
