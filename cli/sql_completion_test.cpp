#include "cli/sql_completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace grappa::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kNames = {"\"odd name\"", "city", "people"};

std::vector<std::string> words(std::string_view text) { return complete_sql(text, kNames).words; }

TEST(SqlCompletion, KnowsKeywordsFunctionsAndNames) {
  EXPECT_THAT(words("selec"), ElementsAre("select"));
  EXPECT_THAT(words("SELEC"), ElementsAre("SELECT"));
  EXPECT_THAT(words("select sub"), Contains("substring"));
  EXPECT_THAT(words("select coun"), Contains("count"));
  EXPECT_THAT(words("select p.ci"), ElementsAre("city"));
  EXPECT_THAT(words("from Peo"), ElementsAre("People"));
  EXPECT_EQ(complete_sql("from Peo", kNames).prefix_bytes, 3u);
}

TEST(SqlCompletion, OffersNothingWithoutABeginning) {
  EXPECT_THAT(words(""), IsEmpty());
  EXPECT_THAT(words("select "), IsEmpty());
  EXPECT_THAT(words("select \"peo"), IsEmpty());
}

TEST(SqlCompletion, NamesFilesInQuotes) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "completed files";
  std::filesystem::create_directories(folder / "deep");
  std::ofstream(folder / "data.csv") << "a\n";
  std::ofstream(folder / ".hidden") << "a\n";
  const std::string path = folder.string();
  EXPECT_THAT(words("select * from 'x' join '" + path + "/"),
              ElementsAre(path + "/data.csv'", path + "/deep/"));
  EXPECT_THAT(words("from '" + path + "/da"), ElementsAre(path + "/data.csv'"));
  EXPECT_THAT(words(".read " + path + "/da"), ElementsAre(path + "/data.csv"));
  EXPECT_THAT(words("from '" + path + "/none/"), IsEmpty());
  std::filesystem::remove_all(folder);
}

TEST(SqlCompletion, KnowsTheCommandsOfTheShell) {
  EXPECT_THAT(words(".t"), ElementsAre(".tables", ".timer"));
  EXPECT_THAT(words(".timer o"), ElementsAre("on", "off"));
  EXPECT_THAT(words(".mode js"), ElementsAre("json", "jsonl"));
  EXPECT_THAT(words(".schema pe"), ElementsAre("people"));
}

}  // namespace
}  // namespace grappa::cli
