// SHA-1: known answers, and that both implementations give the same.
#include "bench/uts_hash.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace grappa::bench {
namespace {

// As sha1sum(1) gives them for the bytes that the header describes.
constexpr UtsState kRootOf19{{0xc6988ab7, 0x0cc9559a, 0xe4d6cba2, 0x54e29a84, 0x5a85f86b}};
constexpr UtsState kItsChild3{{0x4e62c778, 0x9552ef31, 0xfa428ed5, 0xd9023d3f, 0x3ec368ef}};

UtsState child_of(UtsHash hash, const UtsState& parent, std::uint32_t index) {
  const UtsSeed seed{parent, index};
  UtsState child{};
  hash(&seed, &child, 1);
  return child;
}

TEST(UtsHash, GivesTheKnownRoot) { EXPECT_EQ(uts_root(19), kRootOf19); }

TEST(UtsHash, GivesTheKnownChildInPlainCode) {
  EXPECT_EQ(child_of(&uts_hash_portable, kRootOf19, 3), kItsChild3);
}

TEST(UtsHash, GivesTheKnownChildByInstructions) {
  if (uts_hash_instructions() == nullptr) GTEST_SKIP() << "this processor has no SHA instructions";
  EXPECT_EQ(child_of(uts_hash_instructions(), kRootOf19, 3), kItsChild3);
}

TEST(UtsHash, IsTheSameByInstructionsAsInPlainCode) {
  if (uts_hash_instructions() == nullptr) GTEST_SKIP() << "this processor has no SHA instructions";
  std::mt19937 random(1);
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<UtsSeed> seeds(count);
    for (UtsSeed& seed : seeds) {
      for (std::uint32_t& word : seed.parent.words) word = static_cast<std::uint32_t>(random());
      seed.index = static_cast<std::uint32_t>(random());
    }
    const UtsState untouched{{1, 2, 3, 4, 5}};
    std::vector<UtsState> expected(count + 1, untouched);
    std::vector<UtsState> found(count + 1, untouched);
    uts_hash_portable(seeds.data(), expected.data(), count);
    uts_hash_instructions()(seeds.data(), found.data(), count);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(found.back(), untouched);
  }
}

}  // namespace
}  // namespace grappa::bench
