#include "grappa/graph/io/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grappa/base/error.hpp"

namespace grappa::graph {
namespace {

TEST(Format, ToldFromThePath) {
  EXPECT_EQ(format_of_path("a.txt"), Format::kText);
  EXPECT_EQ(format_of_path("dir.gz/a.el"), Format::kBareText);
  EXPECT_EQ(format_of_path("a.WEL"), Format::kWeightedText);
  EXPECT_EQ(format_of_path("a.b.tsv.gz"), Format::kTabs);
  EXPECT_EQ(format_of_path("a.csv.zst"), Format::kCsv);
  EXPECT_EQ(format_of_path("a.mtx.GZ"), Format::kMatrixMarket);
  EXPECT_EQ(format_of_path("a.graph"), Format::kMetis);
  EXPECT_EQ(format_of_path("a.gr"), Format::kDimacs);
  EXPECT_EQ(format_of_path("a.v"), Format::kLdbc);
  EXPECT_EQ(format_of_path("a.e.gz"), Format::kLdbc);
  EXPECT_EQ(format_of_path("a.sg"), Format::kGap);
  EXPECT_EQ(format_of_path("a.wsg"), Format::kGapWeighted);
  EXPECT_EQ(format_of_path("a.grappa"), Format::kGrappa);
}

TEST(Format, UnknownExtensionNamesTheKnownOnes) {
  for (const char* path : {"a", "a.foo", "dir.txt/a", "a.gz", ".zst", ""}) {
    try {
      format_of_path(path);
      ADD_FAILURE() << path;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("mtx"));
    }
  }
}

TEST(Format, ParsedFromWhatAPersonSays) {
  for (const FormatInfo& info : format_names()) {
    EXPECT_EQ(parse_format(info.name), info.format);
    EXPECT_EQ(parse_format(std::string(1, '.').append(info.name)), info.format);
    EXPECT_EQ(parse_format(format_name(info.format)), info.format);
  }
  EXPECT_THROW(parse_format("metis"), UsageError);
  EXPECT_THROW(parse_format(""), UsageError);
}

TEST(Format, Compression) {
  EXPECT_EQ(compression_of_path("a.txt.gz"), Compression::kGzip);
  EXPECT_EQ(compression_of_path("a.zst"), Compression::kZstd);
  EXPECT_EQ(compression_of_path("a.txt"), Compression::kNone);
  EXPECT_EQ(without_compression("a.txt.gz"), "a.txt");
  EXPECT_EQ(without_compression("a.txt"), "a.txt");
}

}  // namespace
}  // namespace grappa::graph
