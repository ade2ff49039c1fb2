#pragma once

// Files that several locales are about to read.
//
//   SeenFiles mine = see_files({&file});    // every locale, which tells locale 0 (ask_locales.hpp)
//   check_same_files({&file}, seen);        // locale 0
//
// Every locale must have them under the same path and with the same content.

#include <string>
#include <tuple>
#include <vector>

#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/examined_file.hpp"

namespace grappa::graph {

/// What a locale sees of some files.
struct SeenFiles {
  std::string host;
  std::vector<io::FileIdentity> files;
  static constexpr auto kMembers = std::tuple(&SeenFiles::host, &SeenFiles::files);
};
SeenFiles see_files(const std::vector<const io::ExaminedFile*>& files);

/// `seen` by the other locales; called at locale 0, whose entry is not looked at. InputError, with
/// the file, the locale and its host, where one sees another file, or none.
void check_same_files(const std::vector<const io::ExaminedFile*>& files,
                      const std::vector<SeenFiles>& seen);

}  // namespace grappa::graph
