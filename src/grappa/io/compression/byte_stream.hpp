#pragma once

// Bytes that arrive in order: from a file descriptor, from memory, or through a decompressor.
//
//   auto stream = gunzip(std::make_unique<DescriptorStream>(fd, "web.txt.gz"), "web.txt.gz");
//   while (std::size_t n = stream->read(buffer, sizeof(buffer))) use(buffer, n);
//
// Errors: InputError that names the file, for what cannot be read and for compressed data that is
// damaged or cut off. One thread at a time. Reading blocks the thread, never suspends the task.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace grappa::io {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `out` with up to `capacity` bytes; less only at the end, 0 when nothing is left.
  virtual std::size_t read(char* out, std::size_t capacity) = 0;
  /// How much of the file has been read, 0 ... 1; 0 where the length is not known.
  virtual double fraction() const = 0;
};

/// Owns the descriptor, unless it is standard input.
class DescriptorStream final : public ByteStream {
 public:
  DescriptorStream(int descriptor, std::string file);
  DescriptorStream(const DescriptorStream&) = delete;
  DescriptorStream& operator=(const DescriptorStream&) = delete;
  ~DescriptorStream() override;

  std::size_t read(char* out, std::size_t capacity) override;
  double fraction() const override { return 0; }
  /// The next bytes (up to 4), which read() will deliver again.
  std::string_view peek();

 private:
  std::size_t read_descriptor(char* out, std::size_t capacity);

  int descriptor_;
  std::string file_;
  char peeked_[4] = {};
  std::size_t peeked_bytes_ = 0;
};

/// Does not own the bytes.
class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string_view bytes) : bytes_(bytes) {}

  std::size_t read(char* out, std::size_t capacity) override;
  double fraction() const override;

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

/// Throws for a file that could not be opened, for the reason `error` (errno): Error where the
/// process has too many open, which is not the file's fault; else InputError.
[[noreturn]] void refuse_to_open(const std::string& file, int error);

/// Throws InputError for compressed data: "truncated gzip data after 17 decompressed bytes".
[[noreturn]] void refuse_compressed(const std::string& file, std::string_view what,
                                    std::size_t decompressed);

bool is_gzip(std::string_view first_bytes) noexcept;
bool is_zstd(std::string_view first_bytes) noexcept;

/// Decompressors. Several members or frames one after the other are one text, as for gzip -d and
/// zstd -d. `file` is for the errors.
std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> source, std::string file);
std::unique_ptr<ByteStream> unzstd(std::unique_ptr<ByteStream> source, std::string file);

}  // namespace grappa::io
