#include "grappa/io/text/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::io {
namespace {

// The last one may be without a line feed.
std::int64_t count_lines(std::string_view text) noexcept {
  return count_line_feeds(text) + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace

std::int64_t count_line_feeds(std::string_view text) noexcept {
  return std::count(text.begin(), text.end(), '\n');
}

std::int64_t count_rows(std::string_view text) noexcept {
  std::int64_t rows = 0;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    rows += text.front() == '%' ? 0 : 1;
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
  }
  return rows;
}

std::vector<std::string_view> split_at_lines(std::string_view text, std::size_t bytes) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    std::size_t cut = text.size();
    if (bytes < text.size()) {
      const std::size_t feed = text.find('\n', std::max<std::size_t>(bytes, 1) - 1);
      if (feed != std::string_view::npos) cut = feed + 1;
    }
    pieces.push_back(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  return pieces;
}

LineReader::LineReader(Input input, const LineReaderOptions& options)
    : input_(std::move(input)), options_(options) {
  options_.block_bytes = std::max<std::size_t>(options_.block_bytes, 1);
}

LineReader::LineReader(std::unique_ptr<BlockSource> source, const LineReaderOptions& options)
    : source_(std::move(source)), options_(options) {}

void LineReader::allow_long_lines() noexcept {
  options_.max_line_bytes = std::numeric_limits<std::size_t>::max();
}

bool LineReader::next_line(std::string_view& line) {
  if (rest().empty() && !fetch()) return false;
  const std::string_view text = rest();
  const std::size_t feed = text.find('\n');
  line = text.substr(0, feed);
  taken_ += feed == std::string_view::npos ? text.size() : feed + 1;
  if (line.size() > options_.max_line_bytes) {
    fail_at(line.data(), fmt::format("line longer than {} bytes", options_.max_line_bytes));
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

bool LineReader::next_block(std::string_view& block) {
  block = peek();
  taken_ = block_.size();
  return !block.empty();
}

std::string_view LineReader::peek() {
  if (rest().empty() && !fetch()) return {};
  return rest();
}

void LineReader::restrict_to_part(int part, int parts) {
  if (source_) {
    takes_own_blocks_ = true;
    // What is left of the common block belongs to one of them.
    if (part != 0) taken_ = block_.size();
    return;
  }
  const std::string_view whole = *input_->whole();
  const std::size_t first =
      peek().empty() ? whole.size() : static_cast<std::size_t>(rest().data() - whole.data());
  const std::size_t left = whole.size() - first;
  // Behind the line feed at or after the byte in front of where an exact division would cut.
  const auto cut = [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    const auto n = static_cast<std::size_t>(parts);
    const std::size_t at = first + left / n * k + left % n * k / n;
    if (at == first) return first;
    const std::size_t feed = whole.find('\n', at - 1);
    return feed == std::string_view::npos ? whole.size() : feed + 1;
  };
  part_begin_ = cut(part);
  part_end_ = cut(part + 1);
  block_ = whole.substr(part_begin_, 0);
  taken_ = 0;
}

double LineReader::fraction() const {
  if (source_) return source_->fraction();
  const auto whole = input_->whole();
  if (!whole) return input_->fraction();
  if (!started_) return 0.0;
  const std::size_t end = std::min(part_end_, whole->size());
  if (end == part_begin_) return 1.0;
  const auto done = static_cast<std::size_t>(block_.data() + taken_ - whole->data()) - part_begin_;
  return static_cast<double>(done) / static_cast<double>(end - part_begin_);
}

std::int64_t LineReader::line_number(const char* position) const {
  const auto bytes = static_cast<std::size_t>(position - counted_from_);
  return lines_before_ + 1 + count_line_feeds({counted_from_, bytes});
}

std::int64_t LineReader::rows_before(const char* position) const {
  const auto bytes = static_cast<std::size_t>(position - block_.data());
  return rows_before_block_ + count_rows(block_.substr(0, bytes));
}

std::int64_t LineReader::last_line() const {
  if (block_.empty() || taken_ == 0) return std::max<std::int64_t>(lines_before_, 1);
  return line_number(block_.data() + taken_ - 1);
}

void LineReader::fail_at(const char* position, std::string_view message) const {
  fail(line_number(position), message);
}

void LineReader::fail(std::int64_t line, std::string_view message) const {
  throw InputError(file(), line, message);
}

bool LineReader::fetch() {
  const bool fetched = source_           ? fetch_from_source()
                       : input_->whole() ? fetch_from_memory()
                                         : fetch_from_stream();
  if (fetched && !started_) {
    started_ = true;
    if (!source_) skip_byte_order_mark();
  }
  return fetched && (!rest().empty() || fetch());
}

// Editors on other systems put it in front of UTF-8 text.
void LineReader::skip_byte_order_mark() {
  if (block_.starts_with("\xef\xbb\xbf")) taken_ = 3;
}

bool LineReader::fetch_from_memory() {
  const std::string_view whole = *input_->whole();
  if (!started_) counted_from_ = whole.data();
  const std::size_t begin =
      started_ ? static_cast<std::size_t>(block_.data() + block_.size() - whole.data()) : 0;
  const std::size_t end = std::min(part_end_, whole.size());
  if (begin == end) return false;
  const std::string_view left = whole.substr(begin, end - begin);
  std::size_t bytes = left.size();
  if (options_.block_bytes < left.size()) {
    const std::size_t feed = left.find('\n', options_.block_bytes - 1);
    if (feed != std::string_view::npos) bytes = feed + 1;
  }
  block_ = left.substr(0, bytes);
  taken_ = 0;
  return true;
}

bool LineReader::fetch_from_stream() {
  if (!buffer_) grow_buffer();
  // The block is used up; what was read behind it moves to the front.
  lines_before_ += count_lines(block_);
  const std::size_t used = block_.size();
  std::memmove(buffer_.get(), buffer_.get() + used, buffered_ - used);
  buffered_ -= used;
  counted_from_ = buffer_.get();
  block_ = {};
  taken_ = 0;

  std::size_t searched = 0;
  while (true) {
    if (!stream_ended_) {
      const std::size_t n = input_->read(buffer_.get() + buffered_, buffer_bytes_ - buffered_);
      stream_ended_ = n < buffer_bytes_ - buffered_;
      buffered_ += n;
    }
    const std::string_view text(buffer_.get(), buffered_);
    if (stream_ended_) {
      std::memset(buffer_.get() + buffered_, 0, kPadding);
      block_ = text;
      return !text.empty();
    }
    const std::size_t feed = text.substr(searched).rfind('\n');
    if (feed != std::string_view::npos) {
      block_ = text.substr(0, searched + feed + 1);
      return true;
    }
    if (buffered_ > options_.max_line_bytes) {
      fail(lines_before_ + 1, fmt::format("line longer than {} bytes", options_.max_line_bytes));
    }
    searched = buffered_;
    grow_buffer();
  }
}

bool LineReader::fetch_from_source() {
  TextBlock next = takes_own_blocks_ ? source_->next_own() : source_->next_common();
  if (next.bytes == 0) {
    lines_before_ += count_lines(block_);
    block_ = {};
    taken_ = 0;
    return false;
  }
  buffer_ = std::move(next.text);
  block_ = {buffer_.get(), next.bytes};
  taken_ = 0;
  counted_from_ = buffer_.get();
  lines_before_ = next.lines_before;
  rows_before_block_ = next.rows_before;
  return true;
}

void LineReader::grow_buffer() {
  const std::size_t bytes = buffer_ ? 2 * buffer_bytes_ : options_.block_bytes;
  auto larger = std::make_unique_for_overwrite<char[]>(bytes + kPadding);
  if (buffer_) std::memcpy(larger.get(), buffer_.get(), buffered_);
  buffer_ = std::move(larger);
  buffer_bytes_ = bytes;
  counted_from_ = buffer_.get();
}

}  // namespace grappa::io
