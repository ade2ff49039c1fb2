#pragma once

// An opened input: a file, standard input ("-") or bytes in memory, decompressed on the way.
//
//   Input input = Input::open("web.txt.gz");                          // or an ExaminedFile
//   if (auto text = input.whole()) use(*text);                       // all of it is in memory
//   else while (size_t n = input.read(buffer, 4096)) use(buffer, n);   // it comes piece by piece
//
// Plain files are mapped; gzip files are decompressed at once while the result is not too long;
// everything else is a stream. Compression is told from the first bytes, not from
// the name; a name that claims compression which is not there is an error.
// A mapped file that another program shortens while it is read reads as zeros from there on
// (ExaminedFile tells). Where nobody writes to a fifo, a line on standard error says so.
// Errors: InputError for what cannot be opened or read, directories, empty files and damaged
// compressed data. One thread at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "grappa/base/huge_pages.hpp"
#include "grappa/base/shrinking_files.hpp"
#include "grappa/io/compression/byte_stream.hpp"
#include "grappa/io/examined_file.hpp"

namespace grappa::io {

/// So many bytes after the end of whole() may be read; they are 0.
inline constexpr std::size_t kPadding = 64;
/// So many bytes are enough for the header of any binary format.
inline constexpr std::size_t kFirstBytes = 4096;
inline constexpr std::size_t kWholeGzipBytes = std::size_t{1} << 30;

class Input {
 public:
  /// gzip files whose content is longer than `whole_bytes` are a stream. What is not on disk is
  /// opened once only.
  static Input open(ExaminedFile& file, std::size_t whole_bytes = kWholeGzipBytes);
  static Input open(const std::string& path, std::size_t whole_bytes = kWholeGzipBytes);
  /// Copies the bytes, and decompresses them where they begin as compressed data does. `name` is
  /// for the errors. For tests and fuzzing.
  static Input from_memory(std::string_view bytes, std::string name = "memory");

  const std::string& name() const noexcept { return name_; }
  /// All bytes, with kPadding zeros behind; nothing where they have to be read().
  std::optional<std::string_view> whole() const noexcept;
  /// Fills `out` as far as there is data. Only where whole() has nothing.
  std::size_t read(char* out, std::size_t capacity) { return stream_->read(out, capacity); }
  /// How much of the stream has been read, 0 ... 1; 0 where that is not known.
  double fraction() const { return stream_ ? stream_->fraction() : 1.0; }
  /// Moves everything that is left into memory: whole() then has it. `most` tells from the first
  /// bytes (kFirstBytes, or all there are) how long the content can be; no more than a byte behind
  /// that is taken from a stream.
  void read_all(const std::function<std::uint64_t(std::string_view first)>& most);
  void read_all();

 private:
  explicit Input(std::string name) : name_(std::move(name)) {}
  // Decides how to go on with the content, from its first bytes.
  void choose_decoder(std::size_t whole_bytes);
  void check_not_empty() const;

  // Reads on from the stream until `content` has `size` bytes, or all; returns how many it has.
  std::size_t read_up_to(std::size_t size, std::size_t filled, internal::Mapping& content);
  // Takes memory as the content.
  void hold(internal::Mapping memory, std::size_t size);

  std::string name_;
  bool may_be_empty_ = false;
  internal::Mapping mapping_;           // the file, or its decompressed content, or
  internal::ShrinkGuard guard_;         // of the file
  std::unique_ptr<char[]> copy_;        // what from_memory was given
  const char* data_ = nullptr;          // in one of them
  std::size_t size_ = 0;                // bytes
  std::unique_ptr<ByteStream> stream_;  // may read from data_
};

}  // namespace grappa::io
