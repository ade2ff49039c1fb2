#include "grappa/io/matching_files.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "grappa/base/error.hpp"

namespace grappa::io {

std::vector<std::string> files_there(const std::string& pattern) {
  std::error_code ignored;
  if (pattern.find_first_of("*?[") == std::string::npos ||
      std::filesystem::exists(pattern, ignored))
    return {pattern};
  ::glob_t found{};
  const int failure = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths;
  if (failure == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::ranges::sort(paths);
  return paths;
}

std::vector<std::string> matching_files(const std::string& pattern) {
  std::vector<std::string> paths = files_there(pattern);
  if (paths.empty()) throw InputError(pattern, 0, "no file matches");
  return paths;
}

}  // namespace grappa::io
