#include "cli/history_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace grappa::cli {
namespace {

constexpr std::size_t kKeptEntries = 5'000;
constexpr std::size_t kMostEntries = 2 * kKeptEntries;

std::filesystem::path state_folder() {
  // One that is relative is to be ignored, says the XDG Base Directory Specification.
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::filesystem::path(state) / "grappa";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".local/state/grappa";
  return {};
}

}  // namespace

HistoryFile::HistoryFile(const std::string& name) {
  const std::filesystem::path folder = state_folder();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  path_ = folder / name;
}

std::vector<std::string> HistoryFile::load() const {
  std::vector<std::string> entries;
  std::error_code error;
  // Reading what is no file, such as a pipe, might not end.
  if (path_.empty() || !std::filesystem::is_regular_file(path_, error)) return entries;
  std::ifstream in(path_);
  for (std::string line; std::getline(in, line);) entries.push_back(line);
  if (entries.size() <= kMostEntries) return entries;
  entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(kKeptEntries));
  in.close();
  std::ofstream shorter(path_);
  for (const std::string& entry : entries) shorter << entry << '\n';
  return entries;
}

void HistoryFile::append(const std::string& entry) const {
  if (path_.empty()) return;
  const int descriptor =
      open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  if (descriptor < 0) return;
  const std::string line = entry + "\n";
  [[maybe_unused]] const ssize_t written = write(descriptor, line.data(), line.size());
  close(descriptor);
}

}  // namespace grappa::cli
