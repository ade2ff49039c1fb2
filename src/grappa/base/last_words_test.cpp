#include "grappa/base/last_words.hpp"

#include <gtest/gtest.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

void say(void* word) noexcept { write_last_line({static_cast<const char*>(word)}); }

TEST(LastWordsDeathTest, HooksAreCalledWhenTheProcessEnds) {
  char first[] = "the first was called";
  char second[] = "the second was called";
  const EndHook one(&say, first);
  const EndHook other(&say, second);
  EXPECT_EXIT(exit_at_once(7), testing::ExitedWithCode(7),
              "the first was called\nthe second was called");
  EXPECT_EXIT(fatal("no way on"), testing::ExitedWithCode(1), "no way on\nthe first was called");
}

TEST(LastWordsDeathTest, AHookThatIsGoneIsNotCalled) {
  char kept[] = "called";
  char word[] = "wrong";
  // Its place is used again, however often.
  for (int i = 0; i < 100; ++i) const EndHook gone(&say, word);
  const EndHook hook(&say, kept);
  EXPECT_EXIT(exit_at_once(3), testing::ExitedWithCode(3), "^called\n$");
}

}  // namespace
}  // namespace grappa::internal
