#include "grappa/io/unnamed_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/external_wait.hpp"

namespace grappa::io {
namespace {

constexpr mode_t kOwnerOnly = 0600;

/// For file systems without nameless files: the name is there for a moment.
int open_and_remove(const std::string& folder) {
  std::string name = folder + "/grappa-XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor >= 0) ::unlink(name.c_str());
  return descriptor;
}

}  // namespace

std::string temporary_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

UnnamedFile::UnnamedFile(std::string folder, std::string advice)
    : folder_(std::move(folder)), advice_(std::move(advice)) {
  descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, kOwnerOnly);
  if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
    descriptor_ = open_and_remove(folder_);
  if (descriptor_ < 0) fail("make", errno);
}

UnnamedFile::~UnnamedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void UnnamedFile::fail(const char* what, int error) const {
  throw Error(fmt::format("cannot {} a temporary file in {}: {}{}{}", what, folder_,
                          std::generic_category().message(error), advice_.empty() ? "" : ": ",
                          advice_));
}

std::string UnnamedFile::path() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_);
}

void UnnamedFile::write(std::span<const std::byte> bytes, std::int64_t place) const {
  const internal::ExternalWait wait;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), place);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("write", written < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    place += written;
  }
}

std::size_t UnnamedFile::read(std::span<std::byte> to, std::int64_t place) const {
  const internal::ExternalWait wait;
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t got = ::pread(descriptor_, to.data() + done, to.size() - done,
                                place + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t UnnamedFile::size() const {
  struct stat facts{};
  if (::fstat(descriptor_, &facts) != 0) fail("look at", errno);
  return static_cast<std::size_t>(facts.st_size);
}

}  // namespace grappa::io
