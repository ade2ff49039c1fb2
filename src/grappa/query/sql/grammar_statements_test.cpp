#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grappa/query/sql/test_parsing.hpp"

namespace grappa::query::sql {
namespace {

TEST(Statements, AreSeparatedBySemicolons) {
  EXPECT_EQ(parse_statements("").size(), 0u);
  EXPECT_EQ(parse_statements(" ;; -- nothing\n").size(), 0u);
  const std::vector<Statement> two = parse_statements("select 1;\nselect 2;");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].position.offset, 10u);
  EXPECT_EQ(error_of("select 1 select 2"),
            "1:10: expected a clause or the end of the statement, found select");
}

TEST(Statements, AreCompleteWithTheirSemicolon) {
  for (const char* const text : {"", "-- nothing\n", "select 1;", "select 1; ; -- one\n",
                                 "select §;", "select ';';", "select $$;$$;"})
    EXPECT_TRUE(is_complete(text)) << text;
  for (const char* const text : {"select 1", "select 1; select 2", "select ';", "select \";",
                                 "/* ;", "select $a$;$$;", "select 1 -- ;"})
    EXPECT_FALSE(is_complete(text)) << text;
}

TEST(Statements, NameFiles) {
  EXPECT_THAT(files_named("with t as (from 'a.csv') select 'b.csv' from t, 'it''s.csv' x; "
                          "insert into u select 1 where exists (from 'd*.csv')"),
              testing::ElementsAre("a.csv", "it's.csv", "d*.csv"));
  EXPECT_THAT(files_named("select 1"), testing::IsEmpty());
  EXPECT_THAT(files_named("select * from 'a.csv' where"), testing::IsEmpty());
}

TEST(Statements, CreateTablesOfColumns) {
  const auto made = parse_one<CreateTable>(
      "CREATE TABLE IF NOT EXISTS s.t (a int NOT NULL, \"b c\" decimal(15, 2), date date NULL)");
  EXPECT_EQ(made.name.parts.size(), 2u);
  EXPECT_TRUE(made.if_not_exists);
  EXPECT_FALSE(made.replaces);
  EXPECT_FALSE(made.query);
  ASSERT_EQ(made.columns.size(), 3u);
  EXPECT_TRUE(made.columns[0].is_not_null);
  EXPECT_EQ(made.columns[1].name.text, "b c");
  EXPECT_EQ(to_text(made.columns[1].type), "decimal(15, 2)");
  EXPECT_FALSE(made.columns[2].is_not_null);
}

TEST(Statements, CreateTablesAndViewsOfQueries) {
  const auto table = parse_one<CreateTable>("CREATE OR REPLACE TEMP TABLE t (a, b) AS SELECT 1, 2");
  EXPECT_TRUE(table.replaces);
  EXPECT_EQ(table.column_aliases.size(), 2u);
  EXPECT_EQ(to_text(*table.query), "SELECT 1, 2");
  EXPECT_TRUE(table.columns.empty());
  EXPECT_EQ(to_text(*parse_one<CreateTable>("create table t as from 'a.csv'").query),
            "SELECT * FROM 'a.csv'");
  const auto view = parse_one<CreateView>("CREATE VIEW v (a) AS SELECT 1");
  EXPECT_EQ(view.column_aliases.size(), 1u);
  EXPECT_EQ(to_text(view.query), "SELECT 1");
}

TEST(Statements, InsertQueries) {
  const auto values = parse_one<Insert>("INSERT INTO t (a, b) VALUES (1, 2), (3, 4)");
  EXPECT_EQ(values.columns.size(), 2u);
  EXPECT_EQ(to_text(values.query), "VALUES (1, 2), (3, 4)");
  const auto query = parse_one<Insert>("insert into t (select 1)");
  EXPECT_TRUE(query.columns.empty());
  EXPECT_EQ(to_text(query.query), "SELECT 1");
}

TEST(Statements, ChangeRowsByThoseOfOthers) {
  const auto update =
      parse_one<Change>("UPDATE t AS x SET a = b FROM s, u JOIN v USING (c) WHERE d");
  EXPECT_EQ(update.others.size(), 2u);
  EXPECT_TRUE(update.where);
  EXPECT_EQ(parse_one<Change>("UPDATE t x SET a = 1").table.alias->text, "x");
  EXPECT_EQ(parse_one<Change>("DELETE FROM t x WHERE x.a").table.alias->text, "x");
  const auto deleted = parse_one<Change>("DELETE FROM t USING s");
  EXPECT_TRUE(deleted.deletes);
  EXPECT_EQ(deleted.others.size(), 1u);
  EXPECT_FALSE(deleted.where);
}

TEST(Statements, DropTablesAndViews) {
  const auto tables = parse_one<Drop>("DROP TABLE IF EXISTS a, s.b");
  EXPECT_TRUE(tables.if_exists);
  EXPECT_FALSE(tables.is_view);
  EXPECT_EQ(tables.names.size(), 2u);
  EXPECT_TRUE(parse_one<Drop>("drop view v").is_view);
}

TEST(Statements, DescribeAndExplain) {
  EXPECT_EQ(to_text(parse_one<Describe>("DESCRIBE t").query), "SELECT * FROM t");
  EXPECT_EQ(to_text(parse_one<Describe>("DESCRIBE 'a.csv'").query), "SELECT * FROM 'a.csv'");
  EXPECT_EQ(to_text(parse_one<Describe>("DESCRIBE SELECT 1").query), "SELECT 1");
  parse_one<ShowTables>("SHOW TABLES");
  parse_one<ShowTables>("DESCRIBE");
  EXPECT_FALSE(parse_one<Box<Explain>>("EXPLAIN SELECT 1")->is_analyze);
  const auto explain = parse_one<Box<Explain>>("EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1");
  EXPECT_TRUE(explain->is_analyze);
  EXPECT_TRUE(std::holds_alternative<CreateTable>(explain->statement.node));
}

TEST(Statements, CopyToFiles) {
  const auto made =
      parse_one<CopyTo>("COPY (SELECT 1) TO 'a.csv' (FORMAT csv, HEADER, DELIMITER ';')");
  EXPECT_EQ(to_text(made.query), "SELECT 1");
  EXPECT_EQ(made.file.path, "a.csv");
  ASSERT_EQ(made.file.options.size(), 3u);
  EXPECT_EQ(made.file.options[0].value.text, "csv");
  EXPECT_EQ(made.file.options[1].value.kind, LiteralKind::kTrue);
  EXPECT_EQ(made.file.options[2].value.text, ";");
  EXPECT_EQ(to_text(parse_one<CopyTo>("copy t to 'a.parquet'").query), "SELECT * FROM t");
  EXPECT_EQ(parse_one<CopyTo>("copy t to 'a' with (header false)").file.options[0].value.kind,
            LiteralKind::kFalse);
  EXPECT_EQ(to_text(parse_one<CopyTo>("copy t (b, a) to 'a.csv'").query), "SELECT b, a FROM t");
}

TEST(Statements, CopyFromFiles) {
  const auto made = parse_one<CopyFrom>("COPY t (a, b) FROM 'a.csv' (DELIM '|')");
  EXPECT_EQ(made.table.parts[0].text, "t");
  EXPECT_EQ(made.columns.size(), 2u);
  EXPECT_EQ(made.file.path, "a.csv");
  EXPECT_EQ(made.file.options[0].value.text, "|");
}

TEST(Statements, AreRefusedWithWhatWasExpected) {
  EXPECT_EQ(error_of("CREATE TABEL t (a int)"),
            "1:8: expected TABLE or VIEW, found TABEL; the nearest is TABLE");
  EXPECT_EQ(error_of("CREATE TABLE t"), "1:15: expected ( or AS, found the end of the text");
  EXPECT_EQ(error_of("CREATE TABLE t (a int"),
            "1:22: expected a comma or ), found the end of the text");
  EXPECT_EQ(error_of("CREATE OR REPLACE TABLE IF NOT EXISTS t AS SELECT 1"),
            "1:1: expected OR REPLACE or IF NOT EXISTS, found both");
  EXPECT_EQ(error_of("INSERT t VALUES (1)"), "1:8: expected INTO, found t");
  EXPECT_EQ(error_of("SHOW t"), "1:6: expected TABLES, found t");
  EXPECT_EQ(error_of("EXPLAIN EXPLAIN SELECT 1"),
            "1:9: expected a statement to explain, found EXPLAIN");
  EXPECT_EQ(error_of("COPY t TO a"), "1:11: expected a file in quotes, 'file.csv', found a");
  EXPECT_EQ(error_of("COPY t (a) AS 'a'"), "1:12: expected TO or FROM, found AS");
}

TEST(Statements, AreRefusedByNameWhereOthersHaveThem) {
  EXPECT_EQ(error_of("merge into t"), "1:1: MERGE is not supported");
  EXPECT_EQ(error_of("VACUUM t"), "1:1: VACUUM is not supported");
  EXPECT_EQ(error_of("CREATE INDEX i ON t (a)"), "1:8: CREATE INDEX is not supported");
  EXPECT_EQ(error_of("DROP SCHEMA s"), "1:6: DROP SCHEMA is not supported");
  EXPECT_EQ(error_of("CREATE TABLE t (a int PRIMARY KEY)"), "1:23: PRIMARY KEY is not supported");
  EXPECT_EQ(error_of("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING"),
            "1:26: ON CONFLICT is not supported");
  EXPECT_EQ(error_of("INSERT INTO t VALUES (1) RETURNING a"), "1:26: RETURNING is not supported");
}

}  // namespace
}  // namespace grappa::query::sql
