#include "grappa/io/text/text_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "grappa/io/text/parse_number.hpp"

namespace grappa::io {
namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v') ||
         byte == 0x7f;
}

// Bytes that follow the first byte of a UTF-8 sequence; -1 if it cannot be a first byte.
int continuation_bytes(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xc2 && first < 0xe0) return 1;
  if (first >= 0xe0 && first < 0xf0) return 2;
  if (first >= 0xf0 && first < 0xf5) return 3;
  return -1;
}

// Overlong forms, surrogates and values above 10FFFF show in the second byte.
bool is_second_byte(unsigned char first, unsigned char second) {
  if ((second & 0xc0) != 0x80) return false;
  if (first == 0xe0) return second >= 0xa0;
  if (first == 0xed) return second < 0xa0;
  if (first == 0xf0) return second >= 0x90;
  if (first == 0xf4) return second < 0x90;
  return true;
}

std::optional<double> weight_of(std::string_view word) {
  std::string padded(word);
  padded.append(8, '\0');
  const char* p = padded.data();
  const char* end = p + word.size();
  double value = 0;
  return parse_weight(p, end, value) && p == end ? std::optional(value) : std::nullopt;
}

// "large" or "small" for a number that no double is near to; else null.
const char* beyond_doubles(std::string_view word) {
  if (number_in(word).form != TextNumber::Form::kBeyondDoubles) return nullptr;
  return std::abs(std::strtod(std::string(word).c_str(), nullptr)) > 1 ? "large" : "small";
}

}  // namespace

std::string_view line_from(const char* position, const char* text_end) {
  const auto bytes = static_cast<std::size_t>(text_end - position);
  const void* feed = bytes == 0 ? nullptr : std::memchr(position, '\n', bytes);
  const char* end = feed == nullptr ? text_end : static_cast<const char*>(feed);
  std::string_view line(position, static_cast<std::size_t>(end - position));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t position = 0;
  while (true) {
    position = line.find_first_not_of(" \t", position);
    if (position == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t", position), line.size());
    words.push_back(line.substr(position, end - position));
    position = end;
  }
}

bool has_lone_return(std::string_view line) {
  const std::size_t at = line.find('\r');
  return at != std::string_view::npos && at + 1 < line.size() && line[at + 1] != '\n';
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMax = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kMax)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + (text.size() > kMax ? "...'" : "'");
}

std::string counted(std::int64_t n, std::string_view noun) {
  if (n == 1) return fmt::format("1 {}", noun);
  if (noun == "vertex") return fmt::format("{} vertices", n);
  if (noun == "entry") return fmt::format("{} entries", n);
  return fmt::format("{} {}s", n, noun);
}

std::optional<std::uint64_t> integer_of(std::string_view word) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || result.ec != std::errc() || result.ptr != word.data() + word.size() ||
      value > kMaxVertexName) {
    return std::nullopt;
  }
  return value;
}

bool looks_numeric(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  return !word.empty() && is_digit(word.front()) &&
         word.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
}

std::string refuse_id(std::string_view word) {
  if (integer_of(word)) return {};
  const bool negative = word.starts_with('-');
  const std::string_view digits = negative ? word.substr(1) : word;
  const bool whole = !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit);
  if (whole && negative) return fmt::format("vertex id {} is negative", word.substr(0, 40));
  if (whole) {
    return fmt::format("vertex id {} is above {}", word.substr(0, 40), kMaxVertexName);
  }
  return fmt::format("expected a vertex id (an integer), found {}", quoted(word));
}

std::string refuse_weight(std::string_view word, double least) {
  if (const auto value = weight_of(word)) {
    return *value >= least ? std::string() : fmt::format("weight {} is below {}", word, least);
  }
  if (const TextNumber number = number_in(word);
      number.form == TextNumber::Form::kFinite && rounded_off(word, number.value) != 0)
    return fmt::format("weight {} would be rounded; write {}.0 to have it so", word, word);
  if (const char* beyond = beyond_doubles(word))
    return fmt::format("weight {} is too {} for a double", word, beyond);
  return fmt::format("expected a weight (a number), found {}", quoted(word));
}

std::string refuse_whole_weight(std::string_view word, double least) {
  const auto value = weight_of(word);
  if (!value || is_whole(*value)) return refuse_weight(word, least);
  return fmt::format("expected an integer, as the header has it, found {}", quoted(word));
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_control);
}

bool is_valid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int more = continuation_bytes(first);
    if (more < 0 || text.size() - i <= static_cast<std::size_t>(more)) return false;
    for (int k = 1; k <= more; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
      if (k == 1 ? !is_second_byte(first, byte) : (byte & 0xc0) != 0x80) return false;
    }
    i += static_cast<std::size_t>(more) + 1;
  }
  return true;
}

}  // namespace grappa::io
