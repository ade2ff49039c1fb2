#include "grappa/mapreduce/internal/text_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/external_wait.hpp"
#include "grappa/io/text/text_line.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::mapreduce::detail {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kStreamPiece = std::size_t{4} << 20;

std::int64_t order_of(std::size_t file, std::size_t byte) {
  constexpr int kBitsOfByte = 44;
  return static_cast<std::int64_t>(file << kBitsOfByte | byte);
}

/// Where the first line begins that begins at `at` or later.
std::size_t line_begin(std::string_view text, std::size_t at) {
  if (at == 0) return 0;
  const std::size_t feed = text.find('\n', at - 1);
  return feed == std::string_view::npos ? text.size() : feed + 1;
}

/// Behind the byte order mark, if there is one.
std::size_t text_begin(std::string_view text) { return text.starts_with("\xef\xbb\xbf") ? 3 : 0; }

/// Where what follows the first line begins that is not blank.
std::size_t header_end(std::string_view text) {
  const std::size_t header = text.find_first_not_of(" \t\r\n", text_begin(text));
  return header == std::string_view::npos ? text.size() : line_begin(text, header + 1);
}

/// Where part `part` of `parts` begins.
std::size_t part_begin(std::size_t size, int part, int parts) {
  const auto n = static_cast<std::size_t>(parts);
  const auto i = static_cast<std::size_t>(part);
  return size / n * i + size % n * i / n;
}

int index_of_core() { return this_core() - first_core_of(this_locale()); }

}  // namespace

TextFiles::TextFiles(const std::vector<std::string>& paths, const TextOptions& options)
    : cores_(static_cast<std::size_t>(cores_per_locale())), options_(options) {
  std::size_t plain_bytes = 0;
  int others = 0;
  for (const std::string& path : paths) {
    File& file = files_.emplace_back(path);
    file.examined.check();
    const bool plain = file.examined.is_plain();
    if (plain) plain_bytes += file.examined.bytes();
    // What is not on disk is there for the first locale only.
    const int reader = file.examined.is_on_disk() && !plain ? others++ % locale_count() : 0;
    if (plain || reader == this_locale()) open(file);
  }
  for (int core = 0; core < cores_per_locale(); ++core) {
    const int id = first_core_of(this_locale()) + core;
    const std::size_t begin = part_begin(plain_bytes, id, core_count());
    const std::size_t end = part_begin(plain_bytes, id + 1, core_count());
    std::size_t before = 0;  // plain bytes of the files before this one
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!files_[i].input) continue;
      const std::size_t size = text(i).size();
      std::size_t from = part_begin(size, core, cores_per_locale());
      std::size_t to = part_begin(size, core + 1, cores_per_locale());
      if (files_[i].examined.is_plain()) {
        from = std::clamp(begin, before, before + size) - before;
        to = std::clamp(end, before, before + size) - before;
        before += size;
      }
      for (; from < to; from = std::min(to, from + kPiece))
        cores_[static_cast<std::size_t>(core)].ranges.push_back(
            {i, from, std::min(to, from + kPiece)});
    }
  }
}

void TextFiles::open(File& file) {
  io::Input input = io::Input::open(file.examined);
  if (input.whole()) {
    file.input = std::move(input);
    return;
  }
  file.stream = std::make_unique<io::LineReader>(
      std::move(input), io::LineReaderOptions{.block_bytes = kStreamPiece});
  file.stream->allow_long_lines();
}

bool TextFiles::next(TextPiece& piece) {
  OfCore& mine = cores_[static_cast<std::size_t>(index_of_core())];
  while (mine.next < mine.ranges.size()) {
    report(static_cast<double>(mine.next) / static_cast<double>(mine.ranges.size()));
    const auto& [file, range_begin, range_end] = mine.ranges[mine.next++];
    const std::string_view whole = text(file);
    std::size_t begin = line_begin(whole, range_begin);
    const std::size_t end = line_begin(whole, range_end);
    begin = std::max(begin, options_.header ? header_end(whole) : text_begin(whole));
    if (begin >= end) continue;
    piece.text = whole.substr(begin, end - begin);
    piece.file = file;
    piece.order = order_of(file, begin);
    return true;
  }
  if (options_.in_order && index_of_core() != 0) return false;
  return next_of_stream(piece);
}

std::size_t TextFiles::expected_lines() const {
  const OfCore& mine = cores_[static_cast<std::size_t>(index_of_core())];
  if (mine.ranges.empty()) return 0;
  std::size_t bytes = 0;
  for (const Range& range : mine.ranges) bytes += range.end - range.begin;
  const auto& [file, begin, end] = mine.ranges.front();
  const auto lines = 1 + io::count_line_feeds(text(file).substr(begin, end - begin));
  const double density = static_cast<double>(lines) / static_cast<double>(end - begin);
  return static_cast<std::size_t>(1.05 * density * static_cast<double>(bytes));
}

bool TextFiles::next_of_stream(TextPiece& piece) {
  std::unique_lock lock(streams_, std::defer_lock);
  {
    const grappa::internal::ExternalWait wait;  // another core may be reading from a pipe
    lock.lock();
  }
  for (; stream_ < files_.size(); ++stream_) {
    File& file = files_[stream_];
    if (!file.stream) continue;
    std::string_view block;
    bool before_rows = options_.header && file.bytes == 0;
    while (before_rows && file.stream->next_line(block)) {
      ++file.lines;
      file.bytes += block.size() + 1;
      before_rows = io::trimmed(block).empty();
    }
    if (!file.stream->next_block(block)) continue;
    report(file.stream->fraction());
    stream_began_ = true;
    piece.buffer = std::make_shared<char[]>(block.size() + io::kPadding);
    std::ranges::copy(block, piece.buffer.get());
    if (options_.keep) kept_.push_back(piece.buffer);
    piece.text = {piece.buffer.get(), block.size()};
    piece.file = stream_;
    piece.lines_before = file.lines;
    piece.order = order_of(stream_, file.bytes);
    file.lines += io::count_line_feeds(block);
    file.bytes += block.size();
    return true;
  }
  return false;
}

void TextFiles::report(double fraction) const {
  // What is read as it comes may be of any length.
  if (progress_ && index_of_core() == 0) progress_(fraction > 0 ? fraction : -1);
}

std::vector<std::string_view> TextFiles::shared() const {
  std::vector<std::string_view> texts(files_.size());
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].examined.is_plain() && files_[i].input) texts[i] = text(i);
  }
  return texts;
}

std::string_view TextFiles::beginning() {
  return files_.front().input ? text(0) : files_.front().stream->peek();
}

void TextFiles::rewind() {
  if (stream_began_) {
    const auto stream =
        std::ranges::find_if(files_, [](const File& file) { return file.stream != nullptr; });
    throw UsageError(
        fmt::format("{}: is read as it comes, and only once; keep what is made of it with cache()",
                    stream->name));
  }
  for (OfCore& core : cores_) core.next = 0;
}

std::int64_t TextFiles::line_number(const TextPiece& piece, const char* position) const {
  if (files_[piece.file].stream)
    return piece.lines_before + 1 + io::count_line_feeds({piece.text.data(), position});
  return 1 + io::count_line_feeds({text(piece.file).data(), position});
}

std::string TextFiles::numbers() const {
  std::string all;
  for (const File& file : files_) all += file.examined.number() + ' ';
  return all;
}

void TextFiles::check_unchanged() const {
  for (const File& file : files_) file.examined.check_unchanged();
}

}  // namespace grappa::mapreduce::detail
