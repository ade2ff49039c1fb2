#include "grappa/query/io/row_format.hpp"

#include <gtest/gtest.h>

#include "grappa/base/error.hpp"

namespace grappa::query {
namespace {

TEST(RowFormat, IsWhatTheNameOfAFileSays) {
  EXPECT_EQ(format_by_name("a.csv").name, "csv");
  EXPECT_EQ(format_by_name("a.json.d/answer").name, "csv");
  EXPECT_EQ(format_by_name("a.tsv.gz").csv.delimiter, '\t');
  EXPECT_EQ(format_by_name("a.json").name, "json");
  EXPECT_EQ(format_by_name("a.jsonl.zst").name, "jsonl");
  EXPECT_EQ(format_by_name("a.ndjson").name, "jsonl");
  EXPECT_TRUE(format_by_name("a.pq").is_parquet());
  EXPECT_THROW(format_by_name("a.parquet.gz"), UsageError);
}

}  // namespace
}  // namespace grappa::query
