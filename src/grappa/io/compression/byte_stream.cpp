#include "grappa/io/compression/byte_stream.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/external_wait.hpp"

namespace grappa::io {

DescriptorStream::DescriptorStream(int descriptor, std::string file)
    : descriptor_(descriptor), file_(std::move(file)) {}

DescriptorStream::~DescriptorStream() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

std::string_view DescriptorStream::peek() {
  if (peeked_bytes_ == 0) peeked_bytes_ = read_descriptor(peeked_, sizeof(peeked_));
  return {peeked_, peeked_bytes_};
}

std::size_t DescriptorStream::read(char* out, std::size_t capacity) {
  const std::size_t from_peek = std::min(capacity, peeked_bytes_);
  std::memcpy(out, peeked_, from_peek);
  std::memmove(peeked_, peeked_ + from_peek, peeked_bytes_ - from_peek);
  peeked_bytes_ -= from_peek;
  return from_peek + read_descriptor(out + from_peek, capacity - from_peek);
}

std::size_t DescriptorStream::read_descriptor(char* out, std::size_t capacity) {
  const internal::ExternalWait wait;
  std::size_t filled = 0;
  while (filled < capacity) {
    const ssize_t n = ::read(descriptor_, out + filled, capacity - filled);
    if (n == 0) break;
    if (n < 0) {
      if (errno == EINTR) continue;
      throw InputError(file_, 0, fmt::format("cannot read: {}", std::strerror(errno)));
    }
    filled += static_cast<std::size_t>(n);
  }
  return filled;
}

void refuse_to_open(const std::string& file, int error) {
  const std::string what = fmt::format("cannot open: {}", std::strerror(error));
  if (error == EMFILE || error == ENFILE) throw Error(file + ": " + what);
  throw InputError(file, 0, what);
}

void refuse_compressed(const std::string& file, std::string_view what, std::size_t decompressed) {
  throw InputError(file, 0,
                   decompressed == 0
                       ? std::string(what)
                       : fmt::format("{} after {} decompressed bytes", what, decompressed));
}

std::size_t MemoryStream::read(char* out, std::size_t capacity) {
  const std::size_t n = std::min(capacity, bytes_.size() - position_);
  std::memcpy(out, bytes_.data() + position_, n);
  position_ += n;
  return n;
}

double MemoryStream::fraction() const {
  return bytes_.empty() ? 1.0 : static_cast<double>(position_) / static_cast<double>(bytes_.size());
}

bool is_gzip(std::string_view first_bytes) noexcept { return first_bytes.starts_with("\x1f\x8b"); }

bool is_zstd(std::string_view first_bytes) noexcept {
  if (first_bytes.starts_with("\x28\xb5\x2f\xfd")) return true;
  // A frame that is skipped, such as pzstd's in front of each of its frames.
  return first_bytes.size() >= 4 && (first_bytes[0] & 0xf0) == 0x50 &&
         first_bytes.substr(1).starts_with("\x2a\x4d\x18");
}

}  // namespace grappa::io
