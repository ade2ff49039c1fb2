#include "grappa/query/io/text_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/io/text/line_reader.hpp"
#include "grappa/io/text/text_line.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/query/io/csv_format.hpp"
#include "grappa/query/io/line_format.hpp"

namespace grappa::query {
namespace {

constexpr std::size_t kSampleBytes = std::size_t{1} << 19;
constexpr std::size_t kLeastPiece = std::size_t{1} << 20;
constexpr std::size_t kMostPiece = std::size_t{8} << 20;
constexpr std::size_t kPiecesPerCore = 8;
constexpr std::size_t kStreamPiece = std::size_t{4} << 20;
constexpr std::size_t kGuessBytes = std::size_t{1} << 20;
constexpr int kGuessRows = 8;

/// Where part `part` of `parts` begins.
std::size_t part_begin(std::size_t size, std::size_t part, std::size_t parts) {
  return size / parts * part + size % parts * part / parts;
}

}  // namespace

TextPieces::TextPieces(const std::vector<std::string>& paths) {
  int others = 0;
  for (const std::string& path : paths) {
    File& file = files_.emplace_back(path);
    io::ExaminedFile& examined = file.examined;
    examined.check();
    if (examined.descriptor() >= 0 && examined.bytes() == 0) {
      files_.pop_back();
      continue;
    }
    // What is not on disk is there for the first locale only.
    const int reader =
        examined.is_on_disk() && !examined.is_plain() ? others++ % locale_count() : 0;
    if (!examined.is_plain() && reader != this_locale()) continue;
    file.input = io::Input::open(examined);
  }
  if (files_.empty() && !paths.empty()) throw InputError(paths.front(), 0, "is empty");
}

bool TextPieces::makes_lines(File& file, std::string_view beginning) const {
  if (options_->lines != LineKind::kJson) return false;
  if (!file.has_lines) file.has_lines = JsonLines::are_there(beginning.substr(0, kSampleBytes));
  return !*file.has_lines;
}

std::optional<std::string_view> TextPieces::whole(File& file) const {
  const auto text = file.input->whole();
  if (!text || !makes_lines(file, *text)) return text;
  if (!file.made) {
    file.made = std::make_unique_for_overwrite<char[]>(text->size() + io::kPadding);
    file.lines.put(text->data(), file.made.get(), text->size());
    std::memset(file.made.get() + text->size(), 0, io::kPadding);
  }
  return std::string_view(file.made.get(), text->size());
}

void TextPieces::read_more(File& file, std::size_t bytes) {
  const std::size_t size = file.rest_bytes + bytes;
  const auto lengthened = [&](const std::shared_ptr<char[]>& part) {
    auto larger = std::make_shared_for_overwrite<char[]>(size + io::kPadding);
    if (file.rest_bytes > 0) std::memcpy(larger.get(), part.get(), file.rest_bytes);
    return larger;
  };
  file.rest = lengthened(file.rest);
  char* const more = file.rest.get() + file.rest_bytes;
  const std::size_t count = file.input->read(more, bytes);
  if (makes_lines(file, {more, count})) {
    file.rest_origin = lengthened(file.rest_origin);
    std::memcpy(file.rest_origin.get() + file.rest_bytes, more, count);
    file.lines.put(more, more, count);
  }
  file.rest_bytes += count;
  file.ended = file.rest_bytes < size;
  std::memset(file.rest.get() + file.rest_bytes, 0, io::kPadding);
}

std::optional<TextFormat> TextPieces::detect(const TextOptions& options) {
  options_ = &options;
  File& file = files_.front();
  if (!file.input) return std::nullopt;
  for (std::size_t bytes = kSampleBytes;; bytes *= 2) {
    std::string_view sample;
    bool is_all;
    if (const auto text = whole(file)) {
      sample = text->substr(0, bytes);
      is_all = sample.size() == text->size();
    } else {
      if (!file.ended) read_more(file, bytes - file.rest_bytes);
      sample = {file.rest.get(), file.rest_bytes};
      is_all = file.ended;
    }
    if (sample.empty()) throw InputError(file.name, 0, "is empty");
    auto format = options.lines == LineKind::kCsv
                      ? detect_csv(sample, is_all, options, file.name)
                      : detect_lines(sample, is_all, options, file.name);
    if (format) return format;
  }
}

const char* TextPieces::begin_of(const File& file, std::string_view text) const {
  // The names of the first file are those of all.
  if (&file != &files_.front() && format_->has_header && options_->names.empty()) {
    const std::vector<std::string> header = header_of(text, *options_, *format_);
    for (std::size_t c = 0; c < std::min(header.size(), format_->names.size()); ++c) {
      if (!header[c].empty() && io::lower(header[c]) != io::lower(format_->names[c])) {
        throw InputError(
            file.name, options_->skip + 1,
            fmt::format("column {} is called {}, in {} {}", c + 1, io::quoted(header[c]),
                        files_.front().name, io::quoted(format_->names[c])));
      }
    }
  }
  return first_row(text, *options_, *format_);
}

void TextPieces::cut(const TextFormat& format, const TextOptions& options) {
  format_ = &format;
  options_ = &options;
  const auto cores = static_cast<std::size_t>(cores_per_locale());
  for (std::size_t i = 0; i < files_.size(); ++i) {
    File& file = files_[i];
    if (!file.input) continue;
    const auto all = whole(file);
    if (!all) {
      has_streams_ = true;
      continue;
    }
    const std::string_view text = *all;
    const char* const rows = begin_of(file, text);
    const auto first = static_cast<std::size_t>(rows - text.data());
    std::size_t from = first;
    std::size_t to = text.size();
    if (is_shared(i)) {
      const auto locales = static_cast<std::size_t>(locale_count());
      const auto locale = static_cast<std::size_t>(this_locale());
      from = first + part_begin(text.size() - first, locale, locales);
      to = first + part_begin(text.size() - first, locale + 1, locales);
    }
    std::size_t bytes = options.piece_bytes;
    if (bytes == 0)
      bytes = std::clamp((to - from) / (kPiecesPerCore * cores), kLeastPiece, kMostPiece);
    for (; from < to; from = std::min(to, from + bytes)) {
      const char* const stop = text.data() + std::min(to, from + bytes);
      const char* const begin = from == first ? rows : guess_row(text, from);
      TextPiece& piece = pieces_.emplace_back();
      piece.file = i;
      piece.text = text;
      piece.begin = begin;
      piece.stop = stop;
      if (file.made) piece.origin = file.input->whole()->data();
    }
  }
}

bool TextPieces::are_rows(std::string_view text, const char* begin) const {
  const auto end = static_cast<std::size_t>(begin - text.data());
  CsvRows rows(text.substr(0, std::min(text.size(), end + kGuessBytes)), begin, format_->dialect);
  const std::size_t columns = format_->names.size() + (format_->ends_with_delimiter ? 1 : 0);
  TextField first;
  for (int row = 0; row < kGuessRows; ++row) {
    const std::size_t n = rows.next(&first, 1, 1);
    if (n == 0) return rows.problem().empty();
    const bool is_cut_off = rows.position() == text.data() + end + kGuessBytes;
    if (n != columns && !is_cut_off && !(n == 1 && first.is_blank())) return false;
  }
  return true;
}

const char* TextPieces::guess_row(std::string_view text, std::size_t at) const {
  const char* const end = text.data() + text.size();
  const std::size_t feed = text.find('\n', at - 1);
  const char* const outside = feed == std::string_view::npos ? end : text.data() + feed + 1;
  const char quote = format_->dialect.quote;
  if (quote == 0 || outside == end || are_rows(text, outside)) return outside;
  // In quotes, then: behind the first that can be a closing one, the row goes on.
  for (std::size_t close = text.find(quote, at);
       close != std::string_view::npos && close + 1 < text.size();
       close = text.find(quote, close + 1)) {
    const char behind = text[close + 1];
    if (behind != format_->dialect.delimiter && behind != '\n' && behind != '\r') continue;
    CsvRows rows(text, text.data() + close + 1, format_->dialect);
    if (rows.next(nullptr, 1, 0) > 0 && are_rows(text, rows.position())) return rows.position();
    break;
  }
  return outside;
}

/// How many bytes of the text are whole rows.
std::size_t TextPieces::whole_rows(std::string_view text, bool is_all, const char* begin) const {
  if (is_all) return text.size();
  const char quote = format_->dialect.quote;
  if (quote == 0 || text.find(quote) == std::string_view::npos) return text.rfind('\n') + 1;
  CsvRows rows(text, begin, format_->dialect);
  const char* last = begin;
  while (rows.next(nullptr, 1, 0) > 0 && rows.position()[-1] == '\n') last = rows.position();
  // What is wrong, the reader says.
  if (!rows.problem().empty() && rows.problem() != kUnclosedQuote) return text.size();
  return static_cast<std::size_t>(last - text.data());
}

TextPiece* TextPieces::next_of_streams() {
  const std::lock_guard lock(streams_);
  for (; stream_ < files_.size(); ++stream_) {
    File& file = files_[stream_];
    if (!file.input || file.input->whole()) continue;
    std::size_t taken = 0;
    const char* begin = nullptr;
    // At least a row, and the beginning of the file with its header.
    const std::size_t bytes = options_->piece_bytes == 0 ? kStreamPiece : options_->piece_bytes;
    for (std::size_t more = bytes; taken == 0; more *= 2) {
      if (!file.ended) read_more(file, more);
      const std::string_view text(file.rest.get(), file.rest_bytes);
      if (text.empty()) break;
      begin = file.began ? text.data() : begin_of(file, text);
      taken = whole_rows(text, file.ended, begin);
    }
    if (taken == 0) continue;
    TextPiece& piece = of_streams_.emplace_back();
    piece.file = stream_;
    piece.text = {file.rest.get(), taken};
    piece.begin = begin;
    piece.stop = file.rest.get() + taken;
    piece.lines_before = file.lines_before;
    piece.buffer = file.rest;
    piece.origin_buffer = file.rest_origin;
    piece.origin = file.rest_origin.get();
    file.began = true;
    file.lines_before += line_of(piece, piece.stop) - piece.lines_before - 1;
    file.rest_bytes -= taken;
    const auto behind = [&](const std::shared_ptr<char[]>& part) {
      auto rest = std::make_shared_for_overwrite<char[]>(file.rest_bytes + io::kPadding);
      std::memcpy(rest.get(), part.get() + taken, file.rest_bytes + io::kPadding);
      return rest;
    };
    file.rest = behind(file.rest);
    if (file.rest_origin) file.rest_origin = behind(file.rest_origin);
    return &piece;
  }
  return nullptr;
}

std::int64_t TextPieces::line_of(const TextPiece& piece, const char* position) const {
  const char* const text = piece.origin != nullptr ? piece.origin : piece.text.data();
  const auto bytes = static_cast<std::size_t>(position - piece.text.data());
  return piece.lines_before + 1 + io::count_line_feeds({text, bytes});
}

void TextPieces::check_unchanged() const {
  for (const File& file : files_) file.examined.check_unchanged();
}

}  // namespace grappa::query
