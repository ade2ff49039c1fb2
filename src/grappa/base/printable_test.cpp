#include "grappa/base/printable.hpp"

#include <gtest/gtest.h>

#include <string>

#include "grappa/base/log.hpp"

namespace grappa::internal {
namespace {

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\033[2Jb\n"), "a\\x1b[2Jb\\x0a");
  EXPECT_EQ(printable("\x7f\r\a"), "\\x7f\\x0d\\x07");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");
  EXPECT_EQ(printable("tab\tÅngström \xe2\x80\xa6 \xc2"), "tab\tÅngström \xe2\x80\xa6 \xc2");
}

TEST(Printable, LinesStayAndEndSomewhere) {
  EXPECT_EQ(printable_lines("a\033[2J\n\nb\r\n"), "a\\x1b[2J\n\nb\\x0d\n");
  EXPECT_EQ(printable_lines(""), "");
  const std::string most(4096, 'x');
  EXPECT_EQ(printable_lines(most), most);
  EXPECT_EQ(printable_lines(most + "y"), most + "…");
  const std::string one_less(4095, 'x');
  EXPECT_EQ(printable_lines(one_less + "Å"), one_less + "…");
}

TEST(Printable, IsWhatIsLogged) {
  testing::internal::CaptureStderr();
  log_info("{}: no such file", "a\033]0;title\ab");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "grappa: a\\x1b]0;title\\x07b: no such file\n");
}

}  // namespace
}  // namespace grappa::internal
