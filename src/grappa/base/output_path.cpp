#include "grappa/base/output_path.hpp"

#include <unistd.h>

#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "grappa/base/text_values.hpp"

namespace grappa::internal {

std::optional<int> descriptor_of(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const auto number = parse_integer(path.substr(folder.size()));
    constexpr std::int64_t kMaxDescriptor = 1 << 30;
    if (number && *number >= 0 && *number <= kMaxDescriptor) return static_cast<int>(*number);
  }
  return std::nullopt;
}

std::string follow_links(const std::string& path) {
  constexpr int kMaxLinks = 40;  // as the system has it
  std::filesystem::path target(path);
  std::error_code error;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (descriptor_of(target.string()) || !std::filesystem::is_symlink(target, error)) break;
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

}  // namespace grappa::internal
