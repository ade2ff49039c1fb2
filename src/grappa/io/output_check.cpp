#include "grappa/io/output_check.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/output_path.hpp"

namespace grappa::io {
namespace {

// What a name leads to.
struct Place {
  bool exists = false;
  bool holds_data = false;  // a file, a pipe or a folder
  dev_t device = 0;
  ino_t inode = 0;
  std::filesystem::path path;

  bool is_same_as(const Place& other) const {
    if (exists != other.exists) return false;
    if (!exists) return path == other.path;
    return holds_data && device == other.device && inode == other.inode;
  }
};

Place place_of(const struct stat& status) {
  return {
      .exists = true,
      .holds_data = S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISDIR(status.st_mode),
      .device = status.st_dev,
      .inode = status.st_ino,
      .path = {}};
}

Place place_of_input(const std::string& path) {
  struct stat status;
  const int result = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  return result == 0 ? place_of(status) : Place{};
}

Place place_of_output(const std::string& path) {
  const std::string target = internal::follow_links(path);
  const auto descriptor = internal::descriptor_of(target);
  struct stat status;
  const int result = descriptor ? ::fstat(*descriptor, &status) : ::stat(target.c_str(), &status);
  if (result == 0) return place_of(status);
  std::error_code ignored;
  Place place;
  place.path = std::filesystem::weakly_canonical(std::filesystem::absolute(target), ignored);
  if (!place.path.has_filename()) place.path = place.path.parent_path();  // "folder/"
  return place;
}

}  // namespace

void check_outputs(const std::vector<NamedOutput>& outputs,
                   const std::vector<std::string>& inputs) {
  std::vector<std::pair<NamedOutput, Place>> checked;
  for (const NamedOutput& output : outputs) {
    if (output.path.empty()) continue;
    const Place place = place_of_output(output.path);
    for (const std::string& input : inputs) {
      const Place read = place_of_input(input);
      if (read.exists && place.is_same_as(read)) {
        throw UsageError(fmt::format("{}: {} is what is read ({}); give another name",
                                     output.option, output.path, input));
      }
    }
    for (const auto& [other, there] : checked) {
      if (place.is_same_as(there)) {
        throw UsageError(fmt::format("{} and {}: both write to {}; give two names", other.option,
                                     output.option, other.path));
      }
    }
    checked.emplace_back(output, place);
  }
}

}  // namespace grappa::io
