#include "grappa/query/io/csv_rows.hpp"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace grappa::query {
namespace {

constexpr std::size_t kChunk = 64;
constexpr std::ptrdiff_t kLongestField = std::ptrdiff_t{1} << 30;

}  // namespace

std::string_view unescaped(const TextField& field, const CsvDialect& dialect,
                           std::string& scratch) {
  scratch.clear();
  for (const char* from = field.begin; from != field.begin + field.size; ++from) {
    if (*from == dialect.escape && from + 1 != field.begin + field.size) ++from;
    scratch += *from;
  }
  return scratch;
}

CsvRows::CsvRows(std::string_view text, const char* begin, const CsvDialect& dialect)
    : position_(begin),
      end_(text.data() + text.size()),
      dialect_(dialect),
      quote_(dialect.quote == 0 ? -1 : static_cast<unsigned char>(dialect.quote)) {
  if (begin < end_) look_from(begin);
}

#if defined(__SSE2__)
std::uint64_t CsvRows::separators_at(const char* chunk) const {
  const __m128i delimiter = _mm_set1_epi8(dialect_.delimiter);
  const __m128i feed = _mm_set1_epi8('\n');
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kChunk; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(chunk + i));
    const __m128i equal =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiter), _mm_cmpeq_epi8(bytes, feed));
    bits |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(equal))} << i;
  }
  return bits;
}
#else
std::uint64_t CsvRows::separators_at(const char* chunk) const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kChunk; ++i)
    bits |= std::uint64_t{chunk[i] == dialect_.delimiter || chunk[i] == '\n'} << i;
  return bits;
}
#endif

void CsvRows::look_from(const char* position) {
  chunk_ = position;
  separators_ = separators_at(chunk_);
  // The end of the text is one, too.
  if (end_ - chunk_ < static_cast<std::ptrdiff_t>(kChunk)) {
    const std::uint64_t end = std::uint64_t{1} << (end_ - chunk_);
    separators_ = (separators_ & (end - 1)) | end;
  }
}

inline const char* CsvRows::next_separator() {
  while (separators_ == 0) look_from(chunk_ + kChunk);
  const char* const found = chunk_ + std::countr_zero(separators_);
  separators_ &= separators_ - 1;
  return found;
}

const char* CsvRows::take_quoted(const char* begin, TextField& field) {
  const char quote = dialect_.quote;
  const char* at = begin + 1;
  field = {.begin = at, .is_quoted = true};
  while (true) {
    if (dialect_.escape == quote) {
      at = static_cast<const char*>(std::memchr(at, quote, static_cast<std::size_t>(end_ - at)));
      if (at != nullptr && at + 1 < end_ && at[1] == quote) {
        field.has_escapes = true;
        at += 2;
        continue;
      }
    } else {
      while (at < end_ && *at != quote && *at != dialect_.escape) ++at;
      if (at < end_ && *at == dialect_.escape) {
        field.has_escapes = true;
        at += 2;
        continue;
      }
    }
    break;
  }
  if (at == nullptr || at >= end_) {
    problem_ = kUnclosedQuote;
    position_ = begin;
    return nullptr;
  }
  field.size = static_cast<std::uint32_t>(at - field.begin);
  const char* behind = at + 1;
  const char* const separator = behind < end_ && *behind == '\r' ? behind + 1 : behind;
  if (separator < end_ && *separator != '\n' &&
      (separator != behind || *separator != dialect_.delimiter)) {
    problem_ = "a closing quote is followed by neither a delimiter nor the end of the line";
    position_ = at;
    return nullptr;
  }
  if (at - field.begin > kLongestField) {
    problem_ = "a field is longer than 1 GiB";
    position_ = begin;
    return nullptr;
  }
  look_from(separator);
  return separator;
}

std::size_t CsvRows::next(TextField* fields, std::size_t stride, std::size_t most) {
  const char* begin = position_;
  if (begin >= end_ || !problem_.empty()) return 0;
  for (std::size_t count = 0;; ++count) {
    TextField field;
    if (static_cast<unsigned char>(*begin) == quote_ && begin < end_) {
      if (take_quoted(begin, field) == nullptr) return 0;
    } else {
      field.begin = begin;
    }
    const char* const separator = next_separator();
    const bool is_last = separator == end_ || *separator == '\n';
    if (!field.is_quoted) {
      std::ptrdiff_t size = separator - begin;
      if (is_last && size > 0 && separator[-1] == '\r') --size;
      if (size > kLongestField) [[unlikely]] {
        problem_ = "a field is longer than 1 GiB";
        return 0;
      }
      field.size = static_cast<std::uint32_t>(size);
    }
    if (count < most) fields[count * stride] = field;
    if (is_last) {
      position_ = separator == end_ ? end_ : separator + 1;
      return count + 1;
    }
    begin = separator + 1;
  }
}

}  // namespace grappa::query
