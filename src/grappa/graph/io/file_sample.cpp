#include "grappa/graph/io/file_sample.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/byte_stream.hpp"

namespace grappa::graph::io {
namespace {

// Text of edges shrinks to about a third.
constexpr std::uint64_t kUsualRatio = 3;

// A gzip file ends with the length of its last member, modulo 2^32. It is believed unless it is
// less than the compressed file, or the file is so large that the length may have wrapped.
std::uint64_t gzip_content_bytes(int descriptor, std::uint64_t file_bytes) {
  constexpr std::uint64_t kMayWrap = std::uint64_t{1} << 29;
  unsigned char tail[4] = {};
  const bool has_tail = file_bytes >= 18 && ::pread(descriptor, tail, sizeof(tail),
                                                    static_cast<off_t>(file_bytes - 4)) == 4;
  std::uint64_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | tail[i];
  const bool believed = has_tail && file_bytes < kMayWrap && length >= file_bytes / 2;
  return believed ? length : file_bytes * kUsualRatio;
}

// A zstd frame may begin with the length of its content.
std::uint64_t zstd_content_bytes(int descriptor, std::uint64_t file_bytes) {
  char head[32];
  const ssize_t n = ::pread(descriptor, head, sizeof(head), 0);
  const unsigned long long length =
      n > 0 ? ZSTD_getFrameContentSize(head, static_cast<std::size_t>(n)) : 0;
  const bool believed = length != ZSTD_CONTENTSIZE_UNKNOWN && length != ZSTD_CONTENTSIZE_ERROR &&
                        length >= file_bytes / 2 && length / 100000 <= file_bytes;
  return believed ? length : file_bytes * kUsualRatio;
}

}  // namespace

FileSample sample_file(const std::string& path, std::size_t bytes, Empty empty) {
  struct stat status;
  const bool found = ::stat(path.c_str(), &status) == 0;
  FileSample sample;
  if (found && S_ISDIR(status.st_mode)) throw InputError(path, 0, "is a directory, not a file");
  // What has been read from a pipe is gone: it is not even opened.
  if (found && !S_ISREG(status.st_mode)) return sample;
  const int descriptor = found ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) refuse_to_open(path, errno);
  auto raw = std::make_unique<DescriptorStream>(descriptor, path);
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  sample.known_size = file_bytes > 0;
  const std::string first(raw->peek());
  std::unique_ptr<ByteStream> stream = std::move(raw);
  if (is_gzip(first)) {
    sample.compression = Compression::kGzip;
    sample.content_bytes = gzip_content_bytes(descriptor, file_bytes);
    stream = gunzip(std::move(stream), path);
  } else if (is_zstd(first)) {
    sample.compression = Compression::kZstd;
    sample.content_bytes = zstd_content_bytes(descriptor, file_bytes);
    stream = unzstd(std::move(stream), path);
  } else {
    sample.content_bytes = file_bytes;
  }
  sample.start.resize(bytes);
  const std::size_t n = stream->read(sample.start.data(), bytes);
  sample.start.resize(n);
  if (n == 0 && empty == Empty::kRefused) throw InputError(path, 0, "is empty");
  if (n < bytes) sample.content_bytes = n;
  return sample;
}

}  // namespace grappa::graph::io
