#include "grappa/base/log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

namespace grappa::internal {
namespace {

template <class F>
std::string standard_error_of(F&& f) {
  testing::internal::CaptureStderr();
  f();
  return testing::internal::GetCapturedStderr();
}

TEST(Log, StartsEachLineWithTheName) {
  EXPECT_EQ(standard_error_of([] { log_info("{} locales of {} cores", 2, 4); }),
            "grappa: 2 locales of 4 cores\n");
  EXPECT_EQ(standard_error_of([] { log_warning("huge pages are off"); }),
            "grappa: warning: huge pages are off\n");
}

TEST(Log, OneMessageIsOneLine) {
  EXPECT_EQ(standard_error_of([] { log_info("a\nb\n"); }), "grappa: a b \n");
}

TEST(Log, LinesOfSeveralThreadsDoNotMix) {
  const std::string text = standard_error_of([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 100; ++i) log_info("{}", std::string(50, 'x'));
      });
    }
    for (auto& thread : threads) thread.join();
  });
  std::string expected;
  for (int i = 0; i < 400; ++i) expected += "grappa: " + std::string(50, 'x') + "\n";
  EXPECT_EQ(text, expected);
}

TEST(Log, SurvivesAClosedStandardError) {
  const auto log_into_nothing = [] {
    close(STDERR_FILENO);
    log_warning("nobody reads this");
    _exit(0);
  };
  EXPECT_EXIT(log_into_nothing(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace grappa::internal
