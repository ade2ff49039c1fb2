#include "grappa/io/compression/gzip.hpp"

#include <fmt/format.h>
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/io/compression/byte_stream.hpp"

namespace grappa::io {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 18;

bool all_zero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

class GunzipStream final : public ByteStream {
 public:
  GunzipStream(std::unique_ptr<ByteStream> source, std::string file)
      : source_(std::move(source)), file_(std::move(file)), input_(kInputBytes) {
    constexpr int kGzipWrapper = 16;
    if (inflateInit2(&stream_, 15 + kGzipWrapper) != Z_OK) throw std::bad_alloc();
  }
  GunzipStream(const GunzipStream&) = delete;
  GunzipStream& operator=(const GunzipStream&) = delete;
  ~GunzipStream() override { inflateEnd(&stream_); }

  std::size_t read(char* out, std::size_t capacity) override {
    std::size_t filled = 0;
    while (filled < capacity && !finished_) {
      if (stream_.avail_in == 0) refill();
      if (between_members_) {
        begin_member();
        continue;
      }
      filled += inflate_some(out + filled, capacity - filled);
    }
    delivered_ += filled;
    return filled;
  }

  double fraction() const override { return source_->fraction(); }

 private:
  [[noreturn]] void fail(std::string_view what, std::size_t pending) const {
    refuse_compressed(file_, what, delivered_ + pending);
  }

  void refill() {
    const std::size_t n = source_->read(input_.data(), input_.size());
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(n);
  }

  // At the end of a member: there may be another one, the end, or zeros up to the end (tapes).
  void begin_member() {
    if (stream_.avail_in == 0) {
      finished_ = true;
      return;
    }
    if (*stream_.next_in == 0) {
      skip_padding();
      return;
    }
    between_members_ = false;
    if (inflateReset(&stream_) != Z_OK) fail("gzip data cannot be decompressed", 0);
  }

  void skip_padding() {
    while (stream_.avail_in != 0) {
      if (!all_zero({reinterpret_cast<const char*>(stream_.next_in), stream_.avail_in})) {
        fail("bytes that are not gzip data", 0);
      }
      refill();
    }
    finished_ = true;
  }

  std::size_t inflate_some(char* out, std::size_t capacity) {
    constexpr std::size_t kMax = std::numeric_limits<uInt>::max();
    const auto room = static_cast<uInt>(std::min(capacity, kMax));
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = room;
    const bool input_ended = stream_.avail_in == 0;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    const std::size_t produced = room - stream_.avail_out;
    if (result == Z_STREAM_END) {
      between_members_ = true;
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result == Z_BUF_ERROR || (result == Z_OK && input_ended && produced == 0)) {
      if (input_ended) fail("truncated gzip data", produced);
    } else if (result != Z_OK) {
      fail("damaged gzip data", produced);
    }
    return produced;
  }

  std::unique_ptr<ByteStream> source_;
  std::string file_;
  std::vector<char> input_;
  z_stream stream_ = {};
  bool between_members_ = false;
  bool finished_ = false;
  std::size_t delivered_ = 0;
};

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

}  // namespace

std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> source, std::string file) {
  return std::make_unique<GunzipStream>(std::move(source), std::move(file));
}

std::optional<internal::Mapping> gunzip_whole(std::string_view compressed, std::size_t limit,
                                              std::size_t padding, std::size_t* size) {
  // Deflate cannot do better than this ratio. Memory that is not written to is never taken.
  constexpr std::size_t kBestRatio = 1032;
  const std::size_t capacity = std::min(limit, compressed.size() * kBestRatio);
  internal::Mapping out = internal::Mapping::reserve({.bytes = capacity + padding,
                                                      .alignment = internal::huge_page_size(),
                                                      .purpose = "decompressed input"});
  internal::advise_huge(out.data(), out.size());
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();

  std::size_t filled = 0;
  while (!compressed.empty() && !all_zero(compressed.substr(0, 1))) {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    const libdeflate_result result =
        libdeflate_gzip_decompress_ex(decompressor.get(), compressed.data(), compressed.size(),
                                      out.data() + filled, capacity - filled, &consumed, &produced);
    if (result != LIBDEFLATE_SUCCESS) return std::nullopt;
    compressed.remove_prefix(consumed);
    filled += produced;
  }
  if (!all_zero(compressed)) return std::nullopt;
  *size = filled;
  return out;
}

}  // namespace grappa::io
