#include "bench/unnamed_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "grappa/base/error.hpp"

namespace grappa::bench {
namespace {

[[noreturn]] void fail(const char* what) {
  const int error = errno;
  throw Error(fmt::format("bench: cannot {} a file in {}: {}", what,
                          std::filesystem::temp_directory_path().string(), std::strerror(error)));
}

}  // namespace

UnnamedFile::UnnamedFile() {
  std::string name = (std::filesystem::temp_directory_path() / "grappa-XXXXXX").string();
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("make");
  ::unlink(name.c_str());
}

UnnamedFile::~UnnamedFile() { ::close(descriptor_); }

std::string UnnamedFile::path() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_);
}

void UnnamedFile::write(std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno != EINTR) fail("write");
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

std::size_t UnnamedFile::read(std::span<std::byte> bytes, std::size_t offset) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(descriptor_, bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno != EINTR) fail("read");
    if (count == 0) break;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return done;
}

std::size_t UnnamedFile::size() const {
  struct stat facts{};
  if (::fstat(descriptor_, &facts) != 0) fail("look at");
  return static_cast<std::size_t>(facts.st_size);
}

}  // namespace grappa::bench
