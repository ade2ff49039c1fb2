#include "grappa/base/file_place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/external_wait.hpp"
#include "grappa/base/this_machine.hpp"

namespace grappa::internal {

std::optional<FilePlace> place_of(int descriptor, std::string name) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return FilePlace{std::move(name), this_machine(),
                   fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor), status.st_dev,
                   status.st_ino};
}

FileParts::FileParts(const FilePlace& place) : name_(place.name) {
  if (place.machine.empty() || place.machine != this_machine()) return;
  descriptor_ = ::open(place.path.c_str(), O_WRONLY | O_CLOEXEC);
  struct stat status;
  if (descriptor_ < 0 || (::fstat(descriptor_, &status) == 0 && status.st_dev == place.device &&
                          status.st_ino == place.inode))
    return;
  // Where processes have numbers of their own, this is another one.
  ::close(std::exchange(descriptor_, -1));
}

FileParts::~FileParts() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileParts::write(std::int64_t offset, std::string_view bytes) const {
  const ExternalWait wait;
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (n < 0) {
      if (errno == EINTR) continue;
      throw Error(fmt::format("{}: cannot write: {}", name_, std::strerror(errno)));
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
    offset += n;
  }
}

}  // namespace grappa::internal
