#include "grappa/io/matching_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "grappa/base/error.hpp"
#include "tests/support/files.hpp"

namespace grappa::io {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MatchingFiles : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* const folder : {"x[1]", "x[1]/y", ".dot"})
      std::filesystem::create_directory(folder_.path(folder));
    for (const char* const file : {"a.csv", "b.tsv", "x[1]/c.csv", "x[1]/y/d.csv", ".dot/e.csv"})
      folder_.write(file, "");
  }

  /// Without the folder in front.
  std::vector<std::string> found(const std::string& pattern) const {
    std::vector<std::string> names;
    for (const std::string& path : files_there(folder_.path(pattern)))
      names.push_back(path.substr(folder_.path("").size()));
    return names;
  }

  TemporaryFolder folder_;
};

TEST_F(MatchingFiles, AreInTheOrderOfTheirBytes) {
  EXPECT_THAT(found("*.?sv"), ElementsAre("a.csv", "b.tsv"));
  EXPECT_THAT(found("{b,a}.*"), ElementsAre("a.csv", "b.tsv"));
  EXPECT_THAT(found("no*"), IsEmpty());
  EXPECT_THROW(matching_files(folder_.path("no*")), InputError);
}

TEST_F(MatchingFiles, AreInFoldersOfAnyDepth) {
  EXPECT_THAT(found("**/*.csv"), ElementsAre("a.csv", "x[1]/c.csv", "x[1]/y/d.csv"));
  EXPECT_THAT(found("x*/**/*.csv"), ElementsAre("x[1]/c.csv", "x[1]/y/d.csv"));
  EXPECT_THAT(found("**/**/d.csv"), ElementsAre("x[1]/y/d.csv"));
  EXPECT_THAT(found("**/y/*"), ElementsAre("x[1]/y/d.csv"));
  EXPECT_THAT(found("**"), ElementsAre("a.csv", "b.tsv", "x[1]/c.csv", "x[1]/y/d.csv"));
}

TEST_F(MatchingFiles, IsAFileOfThatNameFirst) {
  EXPECT_THAT(found("x[1]/c.csv"), ElementsAre("x[1]/c.csv"));
  EXPECT_THAT(found("none.csv"), ElementsAre("none.csv"));
}

}  // namespace
}  // namespace grappa::io
