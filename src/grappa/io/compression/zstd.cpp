#include <fmt/format.h>
#include <zstd.h>

#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/io/compression/byte_stream.hpp"

namespace grappa::io {
namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class UnzstdStream final : public ByteStream {
 public:
  UnzstdStream(std::unique_ptr<ByteStream> source, std::string file)
      : source_(std::move(source)),
        file_(std::move(file)),
        buffer_(ZSTD_DStreamInSize()),
        context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
  }

  std::size_t read(char* out, std::size_t capacity) override {
    ZSTD_outBuffer output{out, capacity, 0};
    while (output.pos < capacity) {
      const bool input_ended = input_.pos == input_.size && !refill();
      if (input_ended && between_frames_) break;
      const std::size_t before = output.pos;
      decompress(output);
      // Without input the decoder may still hold output, but not go on for ever.
      if (input_ended && !between_frames_ && output.pos == before) {
        fail("truncated zstd data", output.pos);
      }
    }
    delivered_ += output.pos;
    return output.pos;
  }

  double fraction() const override { return source_->fraction(); }

 private:
  [[noreturn]] void fail(std::string_view what, std::size_t pending) const {
    refuse_compressed(file_, what, delivered_ + pending);
  }

  bool refill() {
    input_ = {buffer_.data(), source_->read(buffer_.data(), buffer_.size()), 0};
    return input_.size != 0;
  }

  void decompress(ZSTD_outBuffer& output) {
    const std::size_t result = ZSTD_decompressStream(context_.get(), &output, &input_);
    if (ZSTD_isError(result)) {
      fail(fmt::format("damaged zstd data ({})", ZSTD_getErrorName(result)), output.pos);
    }
    between_frames_ = result == 0;
  }

  std::unique_ptr<ByteStream> source_;
  std::string file_;
  std::vector<char> buffer_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  bool between_frames_ = true;
  std::size_t delivered_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> unzstd(std::unique_ptr<ByteStream> source, std::string file) {
  return std::make_unique<UnzstdStream>(std::move(source), std::move(file));
}

}  // namespace grappa::io
