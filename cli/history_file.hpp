#pragma once

// What a person has entered, for the next time: a line an entry.
//
//   HistoryFile file("sql_history");     // in $XDG_STATE_HOME/grappa, or ~/.local/state/grappa
//   for (const std::string& entry : file.load()) use(entry);
//   file.append("select 1;");
//
// Only its owner reads it. A history that cannot be read or written is none, and no error. Several
// processes may append at the same time.

#include <string>
#include <vector>

namespace grappa::cli {

class HistoryFile {
 public:
  explicit HistoryFile(const std::string& name);
  /// The last ones, the oldest first; a file that has become long is made as short as that.
  std::vector<std::string> load() const;
  /// Without a line break in it.
  void append(const std::string& entry) const;

 private:
  std::string path_;  // empty: there is no place for it
};

}  // namespace grappa::cli
