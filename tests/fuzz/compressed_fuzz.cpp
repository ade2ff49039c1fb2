#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "grappa/base/error.hpp"
#include "grappa/io/compression/byte_stream.hpp"
#include "grappa/io/compression/gzip.hpp"

namespace {

using namespace grappa::io;

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

// The first kMaxBytes of what the stream delivers; nothing if it refuses the data before that.
std::optional<std::string> content_of(std::unique_ptr<ByteStream> stream, std::size_t piece) {
  std::string content;
  std::string buffer(piece, '\0');
  try {
    while (content.size() < kMaxBytes) {
      const std::size_t wanted = std::min(piece, kMaxBytes - content.size());
      const std::size_t n = stream->read(buffer.data(), wanted);
      content.append(buffer, 0, n);
      if (n < wanted) break;
    }
  } catch (const grappa::InputError&) {
    return std::nullopt;
  }
  return content;
}

}  // namespace

// Both decompressors, in pieces of two sizes, and the one that takes gzip data whole: all that
// accept the data must agree.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto open = [&] { return std::make_unique<MemoryStream>(bytes); };
  if (is_gzip(bytes)) {
    const auto streamed = content_of(gunzip(open(), "fuzz"), 1000);
    if (streamed != content_of(gunzip(open(), "fuzz"), 7)) std::abort();
    std::size_t whole_bytes = 0;
    const auto whole = gunzip_whole(bytes, kMaxBytes, 64, &whole_bytes);
    if (whole && streamed && streamed->size() < kMaxBytes &&
        *streamed != std::string(reinterpret_cast<const char*>(whole->data()), whole_bytes)) {
      std::abort();
    }
  } else if (is_zstd(bytes)) {
    if (content_of(unzstd(open(), "fuzz"), 1000) != content_of(unzstd(open(), "fuzz"), 7)) {
      std::abort();
    }
  }
  return 0;
}
