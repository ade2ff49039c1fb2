#include "grappa/base/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/external_wait.hpp"
#include "grappa/base/open_pipe.hpp"
#include "grappa/base/output_path.hpp"

namespace grappa::internal {
namespace {

constexpr mode_t kNewFileMode = 0666;  // less what the umask takes away
constexpr int kAttempts = 100;

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A new file would take its place whatever its permissions are: they are looked at here, those of
// a file that nobody may write to also for whoever may do everything.
bool may_be_replaced(const std::string& path, const struct stat& status) {
  constexpr mode_t kAnyWriter = S_IWUSR | S_IWGRP | S_IWOTH;
  return (status.st_mode & kAnyWriter) != 0 &&
         ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

std::string nameless_link(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

}  // namespace

WholeFile::WholeFile(const std::string& path, std::string_view option)
    : name_(fmt::format("{}{}{}", option, option.empty() ? "" : ": ", path)) {
  open(path);
}

WholeFile::~WholeFile() {
  if (owns_descriptor_ && descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void WholeFile::open(const std::string& path) {
  const std::string target = follow_links(path);
  if (const auto open_already = descriptor_of(target)) {
    descriptor_ = *open_already;
    owns_descriptor_ = false;
    if (::fcntl(descriptor_, F_GETFL) < 0) fail("cannot write to it", errno);
    return;
  }
  struct stat status;
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (!exists && (errno == ELOOP || errno == ENAMETOOLONG)) fail("cannot create", errno);
  if (exists && S_ISDIR(status.st_mode)) fail("cannot create", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open_to_write(target);
    if (descriptor_ < 0) fail("cannot create", errno);
    return;
  }
  if (exists && !may_be_replaced(target, status)) fail("cannot replace it", EACCES);
  destination_ = target;
  if (!open_nameless(folder_of(target))) open_temporary();
  if (exists) ::fchmod(descriptor_, status.st_mode & 07777);  // keeps who may read it, if it can
}

bool WholeFile::open_nameless(const std::string& folder) {
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kNewFileMode);
  if (descriptor_ < 0) return false;
  // Without /proc there is no way to give it a name later.
  if (::access(nameless_link(descriptor_).c_str(), F_OK) == 0) return true;
  ::close(descriptor_);
  descriptor_ = -1;
  return false;
}

void WholeFile::open_temporary() {
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    const std::string name = temporary_name();
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode);
    if (descriptor_ >= 0) {
      temporary_ = name;
    } else if (errno != EEXIST || attempt == kAttempts) {
      fail("cannot create", errno);
    }
  }
}

std::string WholeFile::temporary_name() const {
  static std::atomic<int> serial{0};
  const std::filesystem::path path(destination_);
  constexpr std::size_t kMaxStem = NAME_MAX - 40;  // with what is added a name still
  const std::string name =
      fmt::format(".{}.{}.{}.tmp", path.filename().string().substr(0, kMaxStem), ::getpid(),
                  serial.fetch_add(1));
  return (path.parent_path() / name).string();
}

void WholeFile::write(std::string_view bytes) {
  const ExternalWait wait;
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      const int error = errno;
      // Whoever reads standard output has seen enough (`grappa ... | head`).
      if (error == EPIPE && descriptor_ == STDOUT_FILENO) return;
      throw Error(fmt::format("{}: cannot write: {}", name_, std::strerror(error)));
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::optional<FilePlace> WholeFile::place() const {
  return replaces() ? place_of(descriptor_, name_) : std::nullopt;
}

void WholeFile::commit() {
  if (!destination_.empty() && temporary_.empty()) link_nameless();
  if (owns_descriptor_ && ::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    throw Error(fmt::format("{}: cannot write: {}", name_, std::strerror(errno)));
  }
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) {
    throw Error(
        fmt::format("{}: cannot rename {} to it: {}", name_, temporary_, std::strerror(errno)));
  }
  temporary_.clear();
}

// A link cannot replace a file that is there already: it is made under a temporary name first.
void WholeFile::link_nameless() {
  const std::string from = nameless_link(descriptor_);
  for (int attempt = 0; temporary_.empty(); ++attempt) {
    const std::string name = temporary_name();
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
    } else if (errno != EEXIST || attempt == kAttempts) {
      throw Error(fmt::format("{}: cannot create: {}", name_, std::strerror(errno)));
    }
  }
}

void WholeFile::fail(std::string_view what, int error) const {
  throw UsageError(fmt::format("{}: {}: {}", name_, what, std::strerror(error)));
}

}  // namespace grappa::internal
