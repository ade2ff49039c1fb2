#include "bench/uts_hash.hpp"

#include <bit>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace grappa::bench {
namespace {

constexpr UtsState kInitial{{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
constexpr std::uint32_t kEndOfMessage = 0x80000000;  // the bit that follows it
constexpr std::uint32_t kRootBits = 20 * 8;
constexpr std::uint32_t kChildBits = 24 * 8;

using Block = std::array<std::uint32_t, 16>;

UtsState sha1_of_block(const Block& block) {
  Block schedule = block;  // the last 16 words of it
  auto [a, b, c, d, e] = kInitial.words;
  for (std::size_t round = 0; round < 80; ++round) {
    std::uint32_t& word = schedule[round % 16];
    if (round >= 16) {
      word = std::rotl(schedule[(round + 13) % 16] ^ schedule[(round + 8) % 16] ^
                           schedule[(round + 2) % 16] ^ word,
                       1);
    }
    std::uint32_t mixed;
    if (round < 20)
      mixed = ((b & c) | (~b & d)) + 0x5a827999;
    else if (round < 40)
      mixed = (b ^ c ^ d) + 0x6ed9eba1;
    else if (round < 60)
      mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    else
      mixed = (b ^ c ^ d) + 0xca62c1d6;
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + word;
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  const auto& initial = kInitial.words;
  return {{initial[0] + a, initial[1] + b, initial[2] + c, initial[3] + d, initial[4] + e}};
}

#if defined(__x86_64__)

// Whole functions, and not lambdas, which would not inherit the instructions that they may use.
#define GRAPPA_SHA_FUNCTION __attribute__((target("sha,ssse3,sse4.1")))

/// The registers of a hash under way: four rounds at a time, highest word first as the
/// instructions have it.
struct ShaRegisters {
  __m128i abcd;
  __m128i before;  // abcd of four rounds ago, from which they derive the fifth word
  __m128i words[4];
};

/// Rounds 4·Group to 4·Group+3, and those after it.
template <int Group>
GRAPPA_SHA_FUNCTION [[gnu::always_inline]] inline void run_groups(ShaRegisters& r) {
  if constexpr (Group < 20) {
    __m128i& words = r.words[Group % 4];
    if constexpr (Group >= 4) {
      const __m128i mixed = _mm_xor_si128(_mm_sha1msg1_epu32(words, r.words[(Group + 1) % 4]),
                                          r.words[(Group + 2) % 4]);
      words = _mm_sha1msg2_epu32(mixed, r.words[(Group + 3) % 4]);
    }
    // `before` is the fifth word itself at first.
    const __m128i fifth =
        Group == 0 ? _mm_add_epi32(r.before, words) : _mm_sha1nexte_epu32(r.before, words);
    r.before = r.abcd;
    r.abcd = _mm_sha1rnds4_epu32(r.abcd, fifth, Group / 5);
    run_groups<Group + 1>(r);
  }
}

GRAPPA_SHA_FUNCTION void hash_with_instructions(const UtsSeed* seeds, UtsState* children,
                                                std::size_t count) {
  constexpr int kReverse = 0x1b;
  const auto signed_word = [](std::uint32_t word) { return static_cast<int>(word); };
  const __m128i first =
      _mm_set_epi32(signed_word(kInitial.words[0]), signed_word(kInitial.words[1]),
                    signed_word(kInitial.words[2]), signed_word(kInitial.words[3]));
  const __m128i fifth = _mm_set_epi32(signed_word(kInitial.words[4]), 0, 0, 0);
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t* parent = seeds[k].parent.words.data();
    ShaRegisters r{
        first,
        fifth,
        {_mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(parent)), kReverse),
         _mm_set_epi32(signed_word(parent[4]), signed_word(seeds[k].index),
                       signed_word(kEndOfMessage), 0),
         _mm_setzero_si128(), _mm_set_epi32(0, 0, 0, kChildBits)}};
    run_groups<0>(r);
    std::uint32_t* child = children[k].words.data();
    _mm_storeu_si128(reinterpret_cast<__m128i*>(child),
                     _mm_shuffle_epi32(_mm_add_epi32(r.abcd, first), kReverse));
    child[4] =
        static_cast<std::uint32_t>(_mm_extract_epi32(_mm_sha1nexte_epu32(r.before, fifth), 3));
  }
}

#undef GRAPPA_SHA_FUNCTION

bool has_sha_instructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSSE3) == 0 || (c & bit_SSE4_1) == 0)
    return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

#endif

}  // namespace

UtsState uts_root(std::uint32_t seed) {
  return sha1_of_block({0, 0, 0, 0, seed, kEndOfMessage, 0, 0, 0, 0, 0, 0, 0, 0, 0, kRootBits});
}

void uts_hash_portable(const UtsSeed* seeds, UtsState* children, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const auto& p = seeds[k].parent.words;
    children[k] = sha1_of_block({p[0], p[1], p[2], p[3], p[4], seeds[k].index, kEndOfMessage, 0, 0,
                                 0, 0, 0, 0, 0, 0, kChildBits});
  }
}

UtsHash uts_hash_instructions() {
#if defined(__x86_64__)
  static const bool there = has_sha_instructions();
  return there ? &hash_with_instructions : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace grappa::bench
