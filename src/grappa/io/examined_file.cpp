#include "grappa/io/examined_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "grappa/base/open_pipe.hpp"
#include "grappa/io/compression/byte_stream.hpp"

namespace grappa::io {
namespace {

constexpr std::size_t kStartBytes = std::size_t{256} << 10;
constexpr std::uint64_t kPlaces = 16;
constexpr std::uint64_t kPlaceBytes = 4096;

std::uint64_t add_to_hash(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// As far as there is something; errno where that cannot be read.
int read_at(int descriptor, std::uint64_t begin, std::string& to) {
  std::size_t filled = 0;
  ssize_t n = 1;
  while (filled < to.size() && n != 0) {
    n = ::pread(descriptor, to.data() + filled, to.size() - filled,
                static_cast<off_t>(begin + filled));
    if (n > 0) filled += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) return errno;
  }
  to.resize(filled);
  return 0;
}

}  // namespace

ExaminedFile::ExaminedFile(std::string path, Empty empty)
    : path_(std::move(path)), name_(path_ == "-" ? "standard input" : path_), empty_(empty) {
  if (path_ == "-") {
    if (::fstat(STDIN_FILENO, &status_) != 0) error_ = errno;
    return;
  }
  if (::stat(path_.c_str(), &status_) != 0) {
    error_ = errno;
    return;
  }
  if (!S_ISREG(status_.st_mode)) return;
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0 || ::fstat(descriptor_, &status_) != 0) {
    error_ = errno;
    return;
  }
  // What is made as it is read has no size.
  start_.resize(status_.st_size > 0 ? std::min<std::size_t>(bytes(), kStartBytes) : 1);
  error_ = read_at(descriptor_, 0, start_);
  if (is_gzip(start_)) compression_ = Compression::kGzip;
  if (is_zstd(start_)) compression_ = Compression::kZstd;
}

ExaminedFile::ExaminedFile(ExaminedFile&& other) noexcept
    : path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      empty_(other.empty_),
      error_(other.error_),
      status_(other.status_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      start_(std::move(other.start_)),
      compression_(other.compression_) {}

ExaminedFile::~ExaminedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string ExaminedFile::number() const {
  return fmt::format("{}:{}:{}", status_.st_dev, status_.st_ino, status_.st_size);
}

FileIdentity ExaminedFile::identity() const {
  FileIdentity identity{.error = error_, .regular = S_ISREG(status_.st_mode)};
  if (error_ != 0 || !identity.regular) return identity;
  identity.bytes = bytes();
  identity.compressed = compression_ != Compression::kNone;
  identity.sample = add_to_hash(0xcbf29ce484222325, start().substr(0, kPlaceBytes));
  const std::uint64_t last = identity.bytes > kPlaceBytes ? identity.bytes - kPlaceBytes : 0;
  for (std::uint64_t place = 1; place < kPlaces && identity.error == 0; ++place) {
    std::string piece(kPlaceBytes, '\0');
    identity.error = read_at(descriptor_, last * place / (kPlaces - 1), piece);
    identity.sample = add_to_hash(identity.sample, piece);
  }
  return identity;
}

void ExaminedFile::check() const {
  if (error_ != 0) refuse_to_open(name_, error_);
  if (S_ISDIR(status_.st_mode)) throw InputError(name_, 0, "is a directory, not a file");
  if (descriptor_ >= 0 && start_.empty() && !may_be_empty()) throw InputError(name_, 0, "is empty");
}

void ExaminedFile::read(std::uint64_t begin, void* to, std::uint64_t bytes) const {
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::pread(descriptor_, static_cast<char*>(to) + done, bytes - done,
                              static_cast<off_t>(begin + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw InputError(name_, 0, fmt::format("cannot read: {}", std::strerror(errno)));
    if (n == 0) throw InputError(name_, 0, "changed while it was read");
    done += static_cast<std::uint64_t>(n);
  }
}

int ExaminedFile::take_descriptor() {
  if (path_ == "-") return STDIN_FILENO;
  if (descriptor_ >= 0) return std::exchange(descriptor_, -1);
  const int descriptor = internal::open_to_read(path_);
  if (descriptor < 0) refuse_to_open(name_, errno);
  return descriptor;
}

void ExaminedFile::check_unchanged() const {
  const int descriptor = path_ == "-" ? STDIN_FILENO : descriptor_;
  struct stat now;
  if (descriptor < 0 || error_ != 0 || !S_ISREG(status_.st_mode)) return;
  if (::fstat(descriptor, &now) == 0 && now.st_size == status_.st_size &&
      now.st_mtim.tv_sec == status_.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == status_.st_mtim.tv_nsec) {
    return;
  }
  throw InputError(name_, 0, "changed while it was read");
}

}  // namespace grappa::io
