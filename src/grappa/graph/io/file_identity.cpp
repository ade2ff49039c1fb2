#include "grappa/graph/io/file_identity.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "grappa/graph/io/byte_stream.hpp"

namespace grappa::graph::io {
namespace {

constexpr std::uint64_t kPlaces = 16;
constexpr std::uint64_t kPlaceBytes = 4096;

std::uint64_t add_to_hash(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

FileIdentity identify_file(const std::string& path) {
  FileIdentity identity;
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    identity.error = errno;
    return identity;
  }
  identity.regular = S_ISREG(status.st_mode);
  if (!identity.regular) return identity;
  identity.bytes = static_cast<std::uint64_t>(status.st_size);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    identity.error = errno;
    return identity;
  }
  std::vector<char> buffer(kPlaceBytes);
  identity.sample = 0xcbf29ce484222325;
  const std::uint64_t last = identity.bytes > kPlaceBytes ? identity.bytes - kPlaceBytes : 0;
  for (std::uint64_t place = 0; place < kPlaces; ++place) {
    const ssize_t n = ::pread(descriptor, buffer.data(), buffer.size(),
                              static_cast<off_t>(last / (kPlaces - 1) * place));
    if (n < 0) {
      identity.error = errno;
      break;
    }
    const std::string_view read(buffer.data(), static_cast<std::size_t>(n));
    if (place == 0) identity.compressed = is_gzip(read) || is_zstd(read);
    identity.sample = add_to_hash(identity.sample, read);
  }
  ::close(descriptor);
  return identity;
}

}  // namespace grappa::graph::io
