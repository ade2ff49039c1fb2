#include "grappa/mapreduce/words.hpp"

#include <locale.h>
#include <wctype.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "grappa/base/utf8.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace grappa::mapreduce::detail {
namespace {

using internal::decode_utf8;
using internal::Utf8Character;

/// The locale in which the C library knows the letters of all scripts.
locale_t unicode() {
  static const locale_t made = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return made;
}

/// Unicode's category M.
bool is_combining(std::uint32_t code) {
  static const wctype_t combining = ::wctype_l("combining", unicode());
  return ::iswctype_l(code, combining, unicode()) != 0;
}

bool is_wide_space(std::uint32_t code) {
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

/// Of a block, a bit a byte.
struct BlockBits {
  std::uint64_t spaces = 0;   // white space in ASCII
  std::uint64_t letters = 0;  // in ASCII
  std::uint64_t leads = 0;    // with which a wide space may begin: C2, E1, E2, E3
  std::uint64_t wide = 0;     // outside ASCII
};

#ifdef __SSE2__
BlockBits examine(const char* block) {
  BlockBits bits;
  const auto within = [](__m128i bytes, char first, char width) {
    const __m128i from_first = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8(width)), from_first);
  };
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i);
    const auto mask = [&](__m128i found) {
      return std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(found))} << (16 * i);
    };
    bits.spaces |= mask(_mm_or_si128(within(bytes, '\t', 4), within(bytes, 0x1C, 4)));
    bits.letters |= mask(within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 25));
    bits.wide |= mask(bytes);
    bits.leads |= mask(_mm_or_si128(within(bytes, static_cast<char>(0xE1), 2),
                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(0xC2)))));
  }
  return bits;
}
#else
BlockBits examine(const char* block) {
  BlockBits bits;
  for (int i = 0; i < 64; ++i) {
    const auto c = static_cast<unsigned char>(block[i]);
    const bool space = c - 9u < 5 || c - 0x1Cu < 5;
    const bool letter = (c | 0x20u) - 'a' < 26;
    const bool lead = c == 0xC2 || c - 0xE1u < 3;
    bits.spaces |= std::uint64_t{space} << i;
    bits.letters |= std::uint64_t{letter} << i;
    bits.wide |= std::uint64_t{c >= 0x80} << i;
    bits.leads |= std::uint64_t{lead} << i;
  }
  return bits;
}
#endif

}  // namespace

std::uint64_t separator_bits(const char* text, const char* end, bool letters, Crossing& crossing) {
  const auto left = static_cast<std::size_t>(end - text);
  std::array<char, 64> tail;
  const char* block = text;
  if (left < tail.size()) {
    tail.fill(' ');
    std::memcpy(tail.data(), text, left);
    block = tail.data();
  }
  const BlockBits bits = examine(block);
  const auto [crossed, crossed_separators, inside] = std::exchange(crossing, {});
  std::uint64_t separators = letters ? ~(bits.letters | bits.wide) : bits.spaces;
  separators |= crossed_separators;
  std::uint64_t undecided = (letters ? bits.wide : bits.leads) & ~crossed;
  while (undecided != 0) {
    const auto at = static_cast<std::size_t>(std::countr_zero(undecided));
    const Utf8Character character = decode_utf8({text + at, left - at});
    const std::uint64_t bytes = (std::uint64_t{1} << character.bytes) - 1;
    undecided &= ~(bytes << at);
    const bool is_inside = at == 0 ? inside != 0 : (separators >> (at - 1) & 1) == 0;
    const bool separates = !letters ? is_wide_space(character.code)
                                    : ::iswalpha_l(character.code, unicode()) == 0 &&
                                          !(is_inside && is_combining(character.code));
    if (separates) separators |= bytes << at;
    if (at + character.bytes <= 64) continue;
    crossing.bytes = bytes >> (64 - at);
    crossing.separators = separates ? crossing.bytes : 0;
  }
  crossing.inside = ~separators >> 63;
  return separators;
}

}  // namespace grappa::mapreduce::detail
