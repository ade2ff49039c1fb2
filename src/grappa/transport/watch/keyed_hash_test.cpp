#include "grappa/transport/watch/keyed_hash.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace grappa::internal {
namespace {

// The vectors of the reference implementation: key 00 01 … 0f, texts 00, 00 01, 00 01 02, …
TEST(KeyedHash, IsSipHash24) {
  JobSecret key;
  std::iota(key.begin(), key.end(), std::uint8_t{0});
  std::string text;
  const auto extend_to = [&](std::size_t bytes) {
    while (text.size() < bytes) text.push_back(static_cast<char>(text.size()));
    return std::string_view(text);
  };
  EXPECT_EQ(keyed_hash(key, ""), 0x726fdb47dd0e0e31u);
  EXPECT_EQ(keyed_hash(key, extend_to(1)), 0x74f839c593dc67fdu);
  EXPECT_EQ(keyed_hash(key, extend_to(8)), 0x93f5f5799a932462u);
  EXPECT_EQ(keyed_hash(key, extend_to(15)), 0xa129ca6149be45e5u);
}

TEST(KeyedHash, DependsOnEveryByteOfKeyAndText) {
  const JobSecret key{};
  const std::string text(24, 'a');
  const std::uint64_t hash = keyed_hash(key, text);
  for (std::size_t i = 0; i < key.size(); ++i) {
    JobSecret other = key;
    other[i] ^= 1;
    EXPECT_NE(keyed_hash(other, text), hash) << i;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = 'b';
    EXPECT_NE(keyed_hash(key, other), hash) << i;
  }
}

TEST(KeyedHash, SecretsDiffer) { EXPECT_NE(make_job_secret(), make_job_secret()); }

}  // namespace
}  // namespace grappa::internal
