#include "grappa/query/expression/like_pattern.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "grappa/base/error.hpp"
#include "grappa/base/letter_case.hpp"
#include "grappa/base/utf8.hpp"

namespace grappa::query {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

/// Where in the text `needle`, which is not empty, begins first. It mostly is where its first and
/// its last byte are, of which many places are looked at together. (The C library's search prepares
/// a table for each text.)
std::size_t find_bytes(std::string_view text, std::string_view needle) {
  using Bytes [[gnu::vector_size(32)]] = char;
  constexpr std::size_t kPlaces = sizeof(Bytes);
  if (text.size() < needle.size()) return kNone;
  const std::size_t places = text.size() - needle.size() + 1;
  const auto is_at = [&](std::size_t at) {
    return std::memcmp(text.data() + at, needle.data(), needle.size()) == 0;
  };
  if (places < kPlaces) {
    for (std::size_t at = 0; at < places; ++at)
      if (text[at] == needle.front() && is_at(at)) return at;
    return kNone;
  }
  for (std::size_t begin = 0;; begin = std::min(begin + kPlaces, places - kPlaces)) {
    Bytes first;
    Bytes last;
    std::memcpy(&first, text.data() + begin, kPlaces);
    std::memcpy(&last, text.data() + begin + needle.size() - 1, kPlaces);
    const auto both = (first == needle.front()) & (last == needle.back());
    std::uint64_t words[kPlaces / 8];
    std::memcpy(words, &both, sizeof words);
    for (std::size_t w = 0; w < std::size(words); ++w) {
      for (std::uint64_t left = words[w]; left != 0;) {
        const auto byte = static_cast<std::size_t>(std::countr_zero(left)) / 8;
        if (is_at(begin + w * 8 + byte)) return begin + w * 8 + byte;
        left &= ~(std::uint64_t{0xFF} << (byte * 8));
      }
    }
    if (begin == places - kPlaces) return kNone;
  }
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

LikePattern::LikePattern(std::string_view pattern, char escape, bool any_case)
    : any_case_(any_case) {
  pieces_.emplace_back();
  const auto add = [&](std::string_view bytes, bool is_any) {
    Piece& piece = pieces_.back();
    if (is_any && piece.any.empty()) piece.any.resize(piece.bytes.size(), false);
    if (any_case_)
      internal::append_lowered(bytes, piece.bytes);
    else
      piece.bytes.append(bytes);
    if (is_any || !piece.any.empty()) piece.any.resize(piece.bytes.size(), is_any);
  };
  for (std::size_t i = 0; i < pattern.size();) {
    const bool is_escaped = escape != 0 && pattern[i] == escape;
    if (is_escaped && ++i == pattern.size())
      throw UsageError("a pattern of LIKE must not end with its escape character");
    const std::string_view character =
        pattern.substr(i, internal::decode_utf8(pattern.substr(i)).bytes);
    i += character.size();
    if (!is_escaped && character == "%")
      pieces_.emplace_back();
    else
      add(character, !is_escaped && character == "_");
  }
}

std::size_t LikePattern::end_of(const Piece& piece, std::string_view text, std::size_t at) const {
  for (std::size_t i = 0; i < piece.bytes.size(); ++i) {
    if (at >= text.size()) return kNone;
    if (!piece.any.empty() && piece.any[i]) {
      ++at;
      while (at < text.size() && continues_character(text[at])) ++at;
    } else if (text[at++] != piece.bytes[i]) {
      return kNone;
    }
  }
  return at;
}

std::size_t LikePattern::find(const Piece& piece, std::string_view text, std::size_t at) const {
  if (piece.bytes.empty()) return at;
  if (piece.any.empty()) {
    const std::size_t found = find_bytes(text.substr(at), piece.bytes);
    return found == kNone ? kNone : at + found + piece.bytes.size();
  }
  for (; at < text.size(); ++at) {
    if (continues_character(text[at])) continue;
    const std::size_t end = end_of(piece, text, at);
    if (end != kNone) return end;
  }
  return kNone;
}

bool LikePattern::ends_with(const Piece& piece, std::string_view text, std::size_t from) const {
  if (piece.any.empty())
    return text.size() >= from + piece.bytes.size() && text.ends_with(piece.bytes);
  for (std::size_t at = from; at <= text.size(); ++at) {
    if (at < text.size() && continues_character(text[at])) continue;
    if (end_of(piece, text, at) == text.size()) return true;
  }
  return false;
}

bool LikePattern::matches(std::string_view text) const {
  if (!any_case_) return matches_as_it_is(text);
  std::string small;
  internal::append_lowered(text, small);
  return matches_as_it_is(small);
}

bool LikePattern::matches_as_it_is(std::string_view text) const {
  std::size_t at = end_of(pieces_.front(), text, 0);
  if (pieces_.size() == 1 || at == kNone) return at == text.size();
  for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
    at = find(pieces_[i], text, at);
    if (at == kNone) return false;
  }
  return ends_with(pieces_.back(), text, at);
}

}  // namespace grappa::query
