#include "grappa/base/letter_case.hpp"

#include <locale.h>
#include <wctype.h>

#include <cstdint>
#include <cstring>

#include "grappa/base/error.hpp"
#include "grappa/base/utf8.hpp"

namespace grappa::internal {
namespace {

locale_t letters_of_all_scripts() {
  static const locale_t made = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (made == nullptr)
    throw Error("letters: the C library has no locale C.UTF-8, which knows those of all scripts");
  return made;
}

/// How many bytes of ASCII the text begins with.
std::size_t ascii_at_front(std::string_view text) {
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  std::size_t at = 0;
  for (std::uint64_t word; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHigh) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

bool is_ascii_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// The letters from `first` on, of ASCII, and those that `other` changes become those of the other
/// case.
template <char first>
void append_changed(std::string_view text, wint_t (*other)(wint_t, locale_t), std::string& out) {
  out.reserve(out.size() + text.size());
  while (!text.empty()) {
    const std::size_t ascii = ascii_at_front(text);
    const std::size_t from = out.size();
    out.append(text.substr(0, ascii));
    for (std::size_t i = from; i < out.size(); ++i)
      out[i] = static_cast<char>(out[i] ^ (static_cast<unsigned char>(out[i] - first) < 26) << 5);
    text.remove_prefix(ascii);
    if (text.empty()) return;
    const Utf8Character character = decode_utf8(text);
    if (character.code == 0)
      out += text.front();
    else
      append_utf8(other(character.code, letters_of_all_scripts()), out);
    text.remove_prefix(character.bytes);
  }
}

}  // namespace

void append_lowered(std::string_view text, std::string& out) {
  append_changed<'A'>(text, ::towlower_l, out);
}

void append_raised(std::string_view text, std::string& out) {
  append_changed<'a'>(text, ::towupper_l, out);
}

void append_capitalized(std::string_view text, std::string& out) {
  for (bool is_inside = false; !text.empty();) {
    const Utf8Character character = decode_utf8(text);
    const std::string_view letter = text.substr(0, character.bytes);
    is_inside ? append_lowered(letter, out) : append_raised(letter, out);
    is_inside = character.code < 0x80 ? is_ascii_letter_or_digit(static_cast<char>(character.code))
                                      : ::iswalnum_l(character.code, letters_of_all_scripts()) != 0;
    text.remove_prefix(character.bytes);
  }
}

}  // namespace grappa::internal
