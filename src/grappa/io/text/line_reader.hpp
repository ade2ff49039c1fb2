#pragma once

// Text, in large blocks that end at line boundaries, with line numbers for errors.
//
//   LineReader reader(Input::open(path), {});
//   std::string_view line;
//   while (reader.next_line(line) && line.starts_with('%')) {}     // a header, line by line
//   while (reader.next_block(block)) use(block);                   // the rest, block by block
//   if (bad) reader.fail_at(bad, "expected a number");             // "web.txt:17: expected ..."
//
// A block ends behind a line feed, or where the text ends; kPadding bytes behind it may be read.
// At the end of the text they are 0. Pointers into a block are valid until the next block.
// Errors: those of Input, and InputError for a line longer than allowed. One thread at a time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/io/input.hpp"
#include "grappa/io/text/block_source.hpp"

namespace grappa::io {

struct LineReaderOptions {
  std::size_t block_bytes = std::size_t{64} << 20;  // about so much at a time
  std::size_t max_line_bytes = std::size_t{1} << 20;
};

class LineReader {
 public:
  LineReader(Input input, const LineReaderOptions& options);
  /// Reads a text together with other readers; options.block_bytes is not used.
  LineReader(std::unique_ptr<BlockSource> source, const LineReaderOptions& options);

  const std::string& file() const noexcept { return source_ ? source_->name() : input_->name(); }
  std::size_t max_line_bytes() const noexcept { return options_.max_line_bytes; }
  /// For formats without a limit on the length of a line.
  void allow_long_lines() noexcept;

  /// The next line, without its line feed (or carriage return and line feed). False at the end.
  bool next_line(std::string_view& line);
  /// What next_line left of the current block, or else a new block. False at the end.
  bool next_block(std::string_view& block);
  /// What next_block would return, without taking it; empty at the end.
  std::string_view peek();
  /// Continues with part `part` of the `parts` into which the rest of the text is cut: whole lines,
  /// and about equally many bytes; or, with a BlockSource, with the blocks that it gives this
  /// reader. Line numbers stay those of the whole text. Only if all of the text is in memory, or
  /// with a BlockSource.
  void restrict_to_part(int part, int parts);
  /// How much of the input, or of the part of it, has been taken, 0 ... 1.
  double fraction() const;

  /// The number of the line that holds `position`, a pointer into the current block.
  std::int64_t line_number(const char* position) const;
  /// In a text that is shared: the lines before `position`, a pointer into the current block, that
  /// do not begin with %.
  std::int64_t rows_before(const char* position) const;
  /// The number of the last line that was taken.
  std::int64_t last_line() const;
  [[noreturn]] void fail_at(const char* position, std::string_view message) const;
  [[noreturn]] void fail(std::int64_t line, std::string_view message) const;

 private:
  bool fetch();
  bool fetch_from_memory();
  bool fetch_from_stream();
  bool fetch_from_source();
  void grow_buffer();
  void skip_byte_order_mark();
  std::string_view rest() const noexcept { return block_.substr(taken_); }

  std::optional<Input> input_;
  std::unique_ptr<BlockSource> source_;  // instead of an input
  bool takes_own_blocks_ = false;        // of the source
  std::int64_t rows_before_block_ = 0;
  LineReaderOptions options_;
  std::string_view block_;
  std::size_t taken_ = 0;  // bytes of block_

  // The part of whole() that is read.
  std::size_t part_begin_ = 0;
  std::size_t part_end_ = std::string_view::npos;

  const char* counted_from_ = nullptr;  // lines_before_ lines end before this position
  std::int64_t lines_before_ = 0;

  std::unique_ptr<char[]> buffer_;  // streams only
  std::size_t buffer_bytes_ = 0;    // without the padding
  std::size_t buffered_ = 0;        // bytes of buffer_ that are data
  bool stream_ended_ = false;
  bool started_ = false;
};

/// The lines of `text` that do not begin with %.
std::int64_t count_rows(std::string_view text) noexcept;

/// The number of line feeds in `text`.
std::int64_t count_line_feeds(std::string_view text) noexcept;

/// `text` cut into pieces of about `bytes`, each ending behind a line feed or at the end.
std::vector<std::string_view> split_at_lines(std::string_view text, std::size_t bytes);

}  // namespace grappa::io
