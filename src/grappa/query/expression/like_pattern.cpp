#include "grappa/query/expression/like_pattern.hpp"

#include <cstring>

#include "grappa/base/error.hpp"

namespace grappa::query {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

LikePattern::LikePattern(std::string_view pattern, char escape, bool any_case)
    : any_case_(any_case) {
  pieces_.emplace_back();
  const auto add = [&](char c, bool is_any) {
    Piece& piece = pieces_.back();
    if (is_any && piece.any.empty()) piece.any.resize(piece.bytes.size(), false);
    piece.bytes.push_back(is_any ? '_' : cased(c));
    if (is_any || !piece.any.empty()) piece.any.push_back(is_any);
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (escape != 0 && pattern[i] == escape) {
      if (++i == pattern.size())
        throw UsageError("a pattern of LIKE must not end with its escape character");
      add(pattern[i], false);
    } else if (pattern[i] == '%') {
      pieces_.emplace_back();
    } else {
      add(pattern[i], pattern[i] == '_');
    }
  }
}

char LikePattern::cased(char c) const {
  return any_case_ && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::size_t LikePattern::end_of(const Piece& piece, std::string_view text, std::size_t at) const {
  for (std::size_t i = 0; i < piece.bytes.size(); ++i) {
    if (at >= text.size()) return kNone;
    if (!piece.any.empty() && piece.any[i]) {
      ++at;
      while (at < text.size() && continues_character(text[at])) ++at;
    } else if (cased(text[at++]) != piece.bytes[i]) {
      return kNone;
    }
  }
  return at;
}

std::size_t LikePattern::find(const Piece& piece, std::string_view text, std::size_t at) const {
  if (piece.bytes.empty()) return at;
  if (piece.any.empty() && !any_case_) {
    const void* const found =
        memmem(text.data() + at, text.size() - at, piece.bytes.data(), piece.bytes.size());
    return found == nullptr
               ? kNone
               : static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) +
                     piece.bytes.size();
  }
  for (; at < text.size(); ++at) {
    if (continues_character(text[at])) continue;
    const std::size_t end = end_of(piece, text, at);
    if (end != kNone) return end;
  }
  return kNone;
}

bool LikePattern::ends_with(const Piece& piece, std::string_view text, std::size_t from) const {
  if (piece.any.empty() && !any_case_)
    return text.size() >= from + piece.bytes.size() && text.ends_with(piece.bytes);
  for (std::size_t at = from; at <= text.size(); ++at) {
    if (at < text.size() && continues_character(text[at])) continue;
    if (end_of(piece, text, at) == text.size()) return true;
  }
  return false;
}

bool LikePattern::matches(std::string_view text) const {
  std::size_t at = end_of(pieces_.front(), text, 0);
  if (pieces_.size() == 1 || at == kNone) return at == text.size();
  for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
    at = find(pieces_[i], text, at);
    if (at == kNone) return false;
  }
  return ends_with(pieces_.back(), text, at);
}

}  // namespace grappa::query
