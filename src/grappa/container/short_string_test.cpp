#include "grappa/container/short_string.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "grappa/base/error.hpp"
#include "grappa/tasking/closure.hpp"

namespace grappa {
namespace {

TEST(ShortString, TakesACharacterMoreThanItHolds) {
  EXPECT_EQ(sizeof(ShortString<7>), 8u);
  EXPECT_EQ(sizeof(ShortString<23>), 24u);
  EXPECT_EQ(sizeof(ShortString<2046>), 2048u);
  EXPECT_TRUE(kIsSendable<ShortString<23>>);
}

TEST(ShortString, HoldsUpToItsCapacity) {
  const ShortString<5> empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.view(), "");
  const ShortString<5> full = "abcde";
  EXPECT_EQ(full.size(), 5u);
  EXPECT_EQ(full.view(), "abcde");
  EXPECT_THROW(ShortString<5>("abcdef"), UsageError);
  const std::string longest(65535, 'x');
  EXPECT_EQ(ShortString<65535>(longest).view(), longest);
}

TEST(ShortString, HoldsAnyBytes) {
  const std::string_view with_zero("a\0b", 3);
  EXPECT_EQ(ShortString<3>(with_zero).view(), with_zero);
  EXPECT_NE(ShortString<3>(with_zero), ShortString<3>("a"));
}

TEST(ShortString, ComparesAsText) {
  using S = ShortString<10>;
  EXPECT_EQ(S("same"), S(std::string("same")));
  EXPECT_LT(S("abc"), S("abd"));
  EXPECT_LT(S("ab"), S("abc"));
  EXPECT_GT(S("\xff"), S("a"));  // bytes, not signed characters
}

TEST(ShortString, Prints) {
  std::ostringstream out;
  out << ShortString<10>("text");
  EXPECT_EQ(out.str(), "text");
}

}  // namespace
}  // namespace grappa
