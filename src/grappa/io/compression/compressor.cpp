#include "grappa/io/compression/compressor.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::io {
namespace {

constexpr std::size_t kOutputBytes = std::size_t{1} << 18;

class GzipCompressor final : public Compressor {
 public:
  explicit GzipCompressor(std::function<void(std::string_view)> sink)
      : sink_(std::move(sink)), buffer_(kOutputBytes) {
    constexpr int kGzipWrapper = 16;
    constexpr int kMemoryLevel = 8;  // zlib's default
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + kGzipWrapper, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;
  ~GzipCompressor() override { deflateEnd(&stream_); }

  void write(std::string_view bytes) override {
    constexpr std::size_t kMax = std::numeric_limits<uInt>::max();
    while (!bytes.empty()) {
      const std::size_t n = std::min(bytes.size(), kMax);
      run(bytes.substr(0, n), Z_NO_FLUSH);
      bytes.remove_prefix(n);
    }
  }

  void finish() override { run({}, Z_FINISH); }

 private:
  void run(std::string_view bytes, int flush) {
    // zlib does not write to its input, it only lacks the const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, flush);
      sink_({buffer_.data(), buffer_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::function<void(std::string_view)> sink_;
  std::vector<char> buffer_;
  z_stream stream_ = {};
};

class ZstdCompressor final : public Compressor {
 public:
  explicit ZstdCompressor(std::function<void(std::string_view)> sink)
      : sink_(std::move(sink)), buffer_(ZSTD_CStreamOutSize()), context_(ZSTD_createCCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void write(std::string_view bytes) override {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    while (input.pos < input.size) run(input, ZSTD_e_continue);
  }

  void finish() override {
    ZSTD_inBuffer input{nullptr, 0, 0};
    while (run(input, ZSTD_e_end) != 0) {
    }
  }

 private:
  std::size_t run(ZSTD_inBuffer& input, ZSTD_EndDirective directive) {
    ZSTD_outBuffer output{buffer_.data(), buffer_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(context_.get(), &output, &input, directive);
    if (ZSTD_isError(left)) throw Error(ZSTD_getErrorName(left));
    sink_({buffer_.data(), output.pos});
    return left;
  }

  struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  std::function<void(std::string_view)> sink_;
  std::vector<char> buffer_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
};

}  // namespace

std::unique_ptr<Compressor> make_compressor(Compression compression,
                                            std::function<void(std::string_view)> sink) {
  switch (compression) {
    case Compression::kGzip:
      return std::make_unique<GzipCompressor>(std::move(sink));
    case Compression::kZstd:
      return std::make_unique<ZstdCompressor>(std::move(sink));
    case Compression::kNone:
      break;
  }
  return nullptr;
}

}  // namespace grappa::io
