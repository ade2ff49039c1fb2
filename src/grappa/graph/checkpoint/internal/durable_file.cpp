#include "grappa/graph/checkpoint/internal/durable_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::graph {
namespace {

[[noreturn]] void fail_at(const std::string& path, const char* what) {
  throw Error(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

}  // namespace

DurableFile::DurableFile(std::string path)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail("cannot create");
}

DurableFile::~DurableFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

void DurableFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void DurableFile::finish() {
  if (::fsync(descriptor_) != 0) fail("cannot write");
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    const int error = errno;
    ::unlink(path_.c_str());
    errno = error;
    fail("cannot write");
  }
  sync_folder(std::filesystem::path(path_).parent_path().string());
}

void DurableFile::fail(const char* what) const { fail_at(path_, what); }

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail_at(folder, "cannot open");
  // Some file systems cannot do it for folders; then it lasts without.
  const bool failed = ::fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  if (failed) fail_at(folder, "cannot write");
}

void replace_file(const std::string& folder, const std::string& from, const std::string& to) {
  const std::string source = folder + "/" + from;
  const std::string target = folder + "/" + to;
  if (::rename(source.c_str(), target.c_str()) != 0) fail_at(target, "cannot rename to it");
  sync_folder(folder);
}

}  // namespace grappa::graph
