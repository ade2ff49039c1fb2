#include "grappa/base/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace grappa {
namespace {

TEST(Version, HasThreeNumbers) {
  EXPECT_THAT(std::string(version()), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(Version, DescriptionNamesTheCompiler) {
  EXPECT_THAT(std::string(build_description()), testing::MatchesRegex(".*(GCC|Clang) [0-9].*"));
}

}  // namespace
}  // namespace grappa
