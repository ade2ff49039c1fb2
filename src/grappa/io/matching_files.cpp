#include "grappa/io/matching_files.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "grappa/base/error.hpp"

namespace grappa::io {
namespace {

std::vector<std::string> paths_of_glob(const std::string& pattern) {
  ::glob_t found{};
  const int failure = ::glob(pattern.c_str(), GLOB_NOSORT | GLOB_BRACE, nullptr, &found);
  std::vector<std::string> paths;
  if (failure == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return paths;
}

/// Where the first part of the pattern that is ** begins.
std::size_t any_folders(std::string_view pattern) {
  for (std::size_t begin = 0; begin < pattern.size();) {
    const std::size_t end = std::min(pattern.find('/', begin), pattern.size());
    if (pattern.substr(begin, end - begin) == "**") return begin;
    begin = end + 1;
  }
  return std::string_view::npos;
}

/// As a pattern that only it matches.
std::string quoted(const std::string& path) {
  std::string made;
  for (const char c : path) {
    if (std::string_view("*?[]{}\\").find(c) != std::string_view::npos) made += '\\';
    made += c;
  }
  return made;
}

/// The folder, as it begins a path, and all below it but those that begin with a dot.
std::vector<std::string> folders_of(const std::string& folder) {
  std::vector<std::string> made{folder};
  std::error_code ignored;
  using Walk = std::filesystem::recursive_directory_iterator;
  constexpr auto kSkip = std::filesystem::directory_options::skip_permission_denied;
  for (Walk at(folder.empty() ? "." : folder, kSkip, ignored), end; at != end;
       at.increment(ignored)) {
    if (!at->is_directory(ignored) || at->is_symlink(ignored)) continue;
    if (at->path().filename().native().starts_with('.')) {
      at.disable_recursion_pending();
    } else {
      const std::string path = at->path().native() + "/";
      made.push_back(folder.empty() ? path.substr(2) : path);
    }
  }
  return made;
}

std::vector<std::string> paths_of(const std::string& pattern) {
  const std::size_t at = any_folders(pattern);
  if (at == std::string::npos) return paths_of_glob(pattern);
  const std::string rest = at + 3 < pattern.size() ? pattern.substr(at + 3) : "*";
  std::vector<std::string> paths;
  for (const std::string& outer :
       at == 0 ? std::vector<std::string>{""} : paths_of_glob(pattern.substr(0, at)))
    for (const std::string& folder : folders_of(outer))
      std::ranges::move(paths_of(quoted(folder) + rest), std::back_inserter(paths));
  std::erase_if(paths, [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
  });
  return paths;
}

}  // namespace

std::vector<std::string> files_there(const std::string& pattern) {
  std::error_code ignored;
  if (pattern.find_first_of("*?[{") == std::string::npos ||
      std::filesystem::exists(pattern, ignored))
    return {pattern};
  std::vector<std::string> paths = paths_of(pattern);
  std::ranges::sort(paths);
  const auto repeated = std::ranges::unique(paths);
  paths.erase(repeated.begin(), repeated.end());
  return paths;
}

std::vector<std::string> matching_files(const std::string& pattern) {
  std::vector<std::string> paths = files_there(pattern);
  if (paths.empty()) throw InputError(pattern, 0, "no file matches");
  return paths;
}

}  // namespace grappa::io
