#include "grappa/query/exec/spill_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/external_wait.hpp"

namespace grappa::query {
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

SpillFile::SpillFile(std::string folder) : folder_(std::move(folder)) {
  descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, kOwnerOnly);
  if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
    descriptor_ = open_and_remove(folder_);
  if (descriptor_ < 0) fail("cannot make", errno);
}

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SpillFile::fail(const char* what, int error) const {
  throw Error(
      fmt::format("{} a temporary file in {}: {}: name another folder, or allow more memory", what,
                  folder_, std::generic_category().message(error)));
}

std::int64_t SpillFile::append(std::initializer_list<std::span<const std::byte>> parts) {
  std::size_t bytes = 0;
  for (const std::span<const std::byte> part : parts) bytes += part.size();
  const std::int64_t begin = end_.fetch_add(static_cast<std::int64_t>(bytes));
  std::int64_t place = begin;
  for (const std::span<const std::byte> part : parts) {
    write(place, part);
    place += static_cast<std::int64_t>(part.size());
  }
  return begin;
}

void SpillFile::write(std::int64_t place, std::span<const std::byte> bytes) const {
  const grappa::internal::ExternalWait wait;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), place);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("cannot write", written < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    place += written;
  }
}

void SpillFile::read(std::int64_t place, std::span<std::byte> to) const {
  const grappa::internal::ExternalWait wait;
  while (!to.empty()) {
    const ssize_t got = ::pread(descriptor_, to.data(), to.size(), place);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("cannot read", got < 0 ? errno : EIO);
    to = to.subspan(static_cast<std::size_t>(got));
    place += got;
  }
}

std::string temporary_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

}  // namespace grappa::query
