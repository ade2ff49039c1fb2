#include "grappa/graph/io/internal/formats/columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace grappa::graph::io {
namespace {

using testing::ElementsAre;

const FieldRules kCsv{.separator = ',', .quotes = true, .comments = "#"};

TEST(SampleColumns, Integers) {
  const ColumnSample sample = sample_columns("# x\n\n1 2 0.5\n3 4\n", {});
  EXPECT_EQ(sample.columns, 3);
  EXPECT_FALSE(sample.string_names);
  EXPECT_FALSE(sample.has_header);
}

TEST(SampleColumns, Strings) {
  const ColumnSample sample = sample_columns("ann bob\n1 carl\n", {});
  EXPECT_TRUE(sample.string_names);
  EXPECT_FALSE(sample.has_header);
  EXPECT_TRUE(sample_columns("ann bob", {}).string_names);
}

TEST(SampleColumns, OneBadLineDoesNotMakeStrings) {
  EXPECT_FALSE(sample_columns("1 2\n3 x\n4 5\n6 7\n", {}).string_names);
  EXPECT_FALSE(sample_columns("-1 2\n", {}).string_names);
  EXPECT_FALSE(sample_columns("1.5 2\n", {}).string_names);
}

TEST(SampleColumns, HeaderInFrontOfIntegers) {
  const ColumnSample sample = sample_columns("Follower,Followed,Since\n1,2,3\n", kCsv);
  EXPECT_TRUE(sample.has_header);
  EXPECT_FALSE(sample.string_names);
  EXPECT_THAT(sample.header, ElementsAre("follower", "followed", "since"));
  EXPECT_EQ(column_roles(sample).source, 0);
  EXPECT_EQ(column_roles(sample).weight, 2);
}

TEST(SampleColumns, HeaderInFrontOfStrings) {
  const ColumnSample sample = sample_columns("Target,Source\nann,bob\ncarl,dora\n", kCsv);
  EXPECT_TRUE(sample.has_header);
  EXPECT_TRUE(sample.string_names);
  EXPECT_EQ(column_roles(sample).source, 1);
  EXPECT_EQ(column_roles(sample).target, 0);
  EXPECT_FALSE(sample_columns("ann,bob\ncarl,dora\n", kCsv).has_header);
}

TEST(SampleColumns, RolesFromTheHeader) {
  const ColumnRoles roles = column_roles(sample_columns("id,weight,src,dst\n1,2,3,4\n", kCsv));
  EXPECT_EQ(roles.source, 2);
  EXPECT_EQ(roles.target, 3);
  EXPECT_EQ(roles.weight, 1);
  EXPECT_TRUE(roles.weight_is_named);
  const ColumnRoles unnamed = column_roles(sample_columns("id,src,dst\n1,2,3\n", kCsv));
  EXPECT_EQ(unnamed.weight, 0);
  EXPECT_FALSE(unnamed.weight_is_named);
}

TEST(NoteIgnoredColumns, NamesThem) {
  const ColumnSample plain = sample_columns("1 2 3 4\n", {});
  EXPECT_EQ(note_ignored_columns(plain, {0, 1}), "columns 3, 4 are ignored");
  EXPECT_EQ(note_ignored_columns(plain, {0, 1, 2}), "column 4 is ignored");
  EXPECT_EQ(note_ignored_columns(plain, {0, 1, 2, 3}), "");
  const ColumnSample named = sample_columns("source,target,color\n1,2,3\n", kCsv);
  EXPECT_EQ(note_ignored_columns(named, {0, 1}), "column 3 ('color') is ignored");
  const ColumnSample many = sample_columns("1 2 3 4 5 6 7 8 9 10 11 12\n", {});
  EXPECT_EQ(note_ignored_columns(many, {0, 1}), "10 columns are ignored, the first is 3");
}

}  // namespace
}  // namespace grappa::graph::io
