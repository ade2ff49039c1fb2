#include "grappa/graph/io/unchanged_files.hpp"

#include <unistd.h>

namespace grappa::graph::io {
namespace {

bool find_state(const std::string& path, struct stat& state) {
  const int result = path == "-" ? ::fstat(STDIN_FILENO, &state) : ::stat(path.c_str(), &state);
  return result == 0 && S_ISREG(state.st_mode);
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool is_unchanged(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

FileStates::FileStates(const std::vector<std::string>& paths) {
  struct stat state;
  for (const std::string& path : paths) {
    if (find_state(path, state)) states_.emplace_back(path, state);
  }
}

void FileStates::check() const {
  struct stat now;
  for (const auto& [path, before] : states_) {
    if (find_state(path, now) && is_same_file(before, now) && !is_unchanged(before, now))
      throw InputError(path == "-" ? "standard input" : path, 0, "changed while it was read");
  }
}

}  // namespace grappa::graph::io
