#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "grappa/query/sql/test_parsing.hpp"

namespace grappa::query::sql {
namespace {

/// Queries that are written as they are read, and so by to_text().
void expect_kept(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) EXPECT_EQ(query_text(text), text);
}

TEST(Queries, KnowTheClausesOfSelect) {
  expect_kept(
      {"SELECT 1", "SELECT DISTINCT a, b AS c FROM t",
       "SELECT DISTINCT ON (a, b) c FROM t ORDER BY a",
       "SELECT *, t.*, * EXCLUDE (a, b) REPLACE (a + 1 AS c) FROM t",
       "SELECT a FROM t WHERE b > 1 GROUP BY a HAVING count(*) > 1 ORDER BY a LIMIT 1 OFFSET 2",
       "SELECT a FROM t GROUP BY ALL ORDER BY ALL DESC NULLS FIRST",
       "SELECT a FROM t GROUP BY 1, a + b, ROLLUP (a, (b, c)), CUBE (a), "
       "GROUPING SETS ((a, b), a, (), ROLLUP (c))",
       "SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY b), v AS (w ORDER BY c) "
       "QUALIFY row_number() OVER v = 1",
       "SELECT a FROM t ORDER BY a, b DESC, c NULLS FIRST, d DESC NULLS LAST"});
  EXPECT_EQ(query_text("select all a b, c \"d e\" from t x"),
            "SELECT a AS b, c AS \"d e\" FROM t AS x");
  EXPECT_EQ(query_text("select a, b, from t"), "SELECT a, b FROM t");
  EXPECT_EQ(query_text("select a at, b semi, c pivot from t anti"),
            "SELECT a AS at, b AS semi, c AS pivot FROM t AS anti");
  EXPECT_EQ(query_text("select 1 as select"), "SELECT 1 AS \"select\"");
  EXPECT_EQ(query_text("select a from t fetch first 3 rows only"), "SELECT a FROM t LIMIT 3");
  EXPECT_EQ(query_text("select a from t offset 2 rows fetch next row only"),
            "SELECT a FROM t LIMIT 1 OFFSET 2");
  EXPECT_EQ(query_text("select a from t limit all offset 1"), "SELECT a FROM t OFFSET 1");
}

TEST(Queries, MayBeginWithFrom) {
  EXPECT_EQ(query_text("from t"), "SELECT * FROM t");
  EXPECT_EQ(query_text("from t select a where b"), "SELECT a FROM t WHERE b");
  EXPECT_EQ(query_text("from 'a.csv' limit 3"), "SELECT * FROM 'a.csv' LIMIT 3");
  EXPECT_EQ(query_text("table t"), "SELECT * FROM t");
  EXPECT_EQ(query_text("select * from (from t) x"), "SELECT * FROM (SELECT * FROM t) AS x");
}

TEST(Queries, TakeTablesFromManyPlaces) {
  expect_kept({"SELECT * FROM s.t AS a (b, c), 'dir/*.csv.gz' AS f",
               "SELECT * FROM edges('g.mtx') AS e, read_csv('f', header = TRUE, delim = ';')",
               "SELECT * FROM (SELECT 1) AS a (b), LATERAL (SELECT b) AS c",
               "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v (x, y)",
               "SELECT * FROM read_csv(['a.csv', 'b.csv'], names = ['a', 'b'])",
               "SELECT * FROM read_csv('f', types = {'a': 'int', 'it''s': 'text'}, nullstr = 'NA')",
               "SELECT * FROM generate_series(1, 10)"});
  EXPECT_EQ(query_text("select * from f(a := 1, b => 2)"), "SELECT * FROM f(a = 1, b = 2)");
  EXPECT_EQ(query_text("select * from ((select 1) union select 2) x"),
            "SELECT * FROM (SELECT 1 UNION SELECT 2) AS x");
  EXPECT_EQ(query_text("select * from (t) a, (u b), lateral f(a.x)"),
            "SELECT * FROM t AS a, u AS b, f(a.x)");
}

TEST(Queries, JoinTables) {
  expect_kept({"SELECT * FROM a JOIN b ON a.x = b.x LEFT JOIN c USING (y, z)",
               "SELECT * FROM a RIGHT JOIN b ON TRUE FULL JOIN c ON TRUE CROSS JOIN d",
               "SELECT * FROM a SEMI JOIN b USING (x) ANTI JOIN c ON c.y = a.y",
               "SELECT * FROM a NATURAL JOIN b NATURAL LEFT JOIN c, d",
               "SELECT * FROM a JOIN (b JOIN c USING (x)) USING (y)",
               "SELECT * FROM (a CROSS JOIN b) AS c JOIN d ON TRUE"});
  EXPECT_EQ(query_text("select * from a left outer join b on true inner join c on true"),
            "SELECT * FROM a LEFT JOIN b ON TRUE JOIN c ON TRUE");
  EXPECT_EQ(query_text("select * from (a join b using (x)) join c using (y)"),
            "SELECT * FROM (a JOIN b USING (x)) JOIN c USING (y)");
  EXPECT_EQ(query_text("select * from a join b left join c using (x) on true"),
            "SELECT * FROM a JOIN (b LEFT JOIN c USING (x)) ON TRUE");
  EXPECT_EQ(query_text("select semi, anti from semi"), "SELECT semi, anti FROM semi");
}

TEST(Queries, CombineWithThePrecedenceOfSets) {
  expect_kept({"SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3",
               "SELECT 1 UNION (SELECT 2 INTERSECT ALL SELECT 3)",
               "SELECT 1 UNION (SELECT 2 UNION SELECT 3)",
               "SELECT 1 UNION SELECT 2 ORDER BY 1 LIMIT 3",
               "(SELECT 1 ORDER BY 1 LIMIT 1) UNION ALL VALUES (1)", "(SELECT 1 LIMIT 1) LIMIT 2"});
  EXPECT_EQ(query_text("select 1 union select 2 intersect all select 3"),
            "SELECT 1 UNION (SELECT 2 INTERSECT ALL SELECT 3)");
  EXPECT_EQ(query_text("((select 1) union distinct ((select 2)))"), "SELECT 1 UNION SELECT 2");
  EXPECT_EQ(query_text("(select 1) order by 1"), "SELECT 1 ORDER BY 1");
  EXPECT_EQ(query_text("((select 1 limit 1))"), "SELECT 1 LIMIT 1");
  EXPECT_EQ(parse_one<Query>("select 1 union select 2 except select 3").terms.size(), 3u);
}

TEST(Queries, HaveCommonTables) {
  expect_kept({"WITH a AS (SELECT 1), b (x, y) AS (SELECT 2, 3) SELECT * FROM a, b",
               "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) "
               "SELECT * FROM r ORDER BY n",
               "WITH a AS (SELECT 1) (WITH b AS (SELECT 2) SELECT * FROM a, b)"});
  EXPECT_EQ(
      query_text("with a as materialized (select 1), b as not materialized (select 2) table a"),
      "WITH a AS (SELECT 1), b AS (SELECT 2) SELECT * FROM a");
}

TEST(Queries, OfBenchmarksAreReadAndWritten) {
  for (const auto& [file, count] : {std::pair{"/bench/baselines/tpch.sql", 22},
                                    {"/src/grappa/query/sql/testdata/others.sql", 20}}) {
    std::ifstream input(std::string(GRAPPA_SOURCE_DIR) + file);
    const std::string text(std::istreambuf_iterator<char>(input), {});
    const std::vector<Statement> statements = parse_statements(text);
    EXPECT_EQ(statements.size(), static_cast<std::size_t>(count));
    for (const Statement& statement : statements) {
      const Query& query = std::get<Query>(statement.node);
      EXPECT_EQ(parse_one<Query>(to_text(query)), query) << to_text(query);
    }
  }
}

TEST(Queries, SuggestTheKeywordThatWasMeant) {
  EXPECT_EQ(error_of("SELCT 1"), "1:1: expected a statement, found SELCT; the nearest is SELECT");
  EXPECT_EQ(error_of("SELECT * FORM t"),
            "1:10: expected a clause or the end of the statement, found FORM; the nearest is FROM");
  EXPECT_EQ(error_of("SELECT a FORM t"),
            "1:10: expected a clause or the end of the statement, found FORM; the nearest is FROM");
  EXPECT_EQ(
      error_of("SELECT a FROM t wehre a = 1"),
      "1:17: expected a clause or the end of the statement, found wehre; the nearest is WHERE");
  EXPECT_EQ(error_of("SELECT a FROM t GROUP YB a"), "1:23: expected BY, found YB");
  EXPECT_EQ(
      error_of("SELECT a FROM t GRUOP BY a"),
      "1:17: expected a clause or the end of the statement, found GRUOP; the nearest is GROUP");
  EXPECT_EQ(error_of("SELECT a FROM t JOIN u USIGN a"),
            "1:24: expected ON or USING, found USIGN; the nearest is USING");
  EXPECT_EQ(error_of("SELECT a b c"),
            "1:12: expected a clause or the end of the statement, found c");
}

TEST(Queries, AreRefusedWithWhatWasExpected) {
  EXPECT_EQ(error_of("SELECT"), "1:7: expected an expression, found the end of the text");
  EXPECT_EQ(error_of("SELECT a FROM"),
            "1:14: expected the name of a table, found the end of the text");
  EXPECT_EQ(
      error_of("SELECT a FROM order"),
      "1:15: expected the name of a table, found order, which needs quotes as a name: \"order\"");
  EXPECT_EQ(error_of("SELECT a FROM t WHERE (a = 1"),
            "1:29: expected ), found the end of the text");
  EXPECT_EQ(error_of("SELECT a FROM (SELECT 1"), "1:24: expected ), found the end of the text");
  EXPECT_EQ(error_of("SELECT a FROM t JOIN u"),
            "1:23: expected ON or USING, found the end of the text");
  EXPECT_EQ(error_of("SELECT a FROM t CROSS u"), "1:23: expected JOIN, found u");
  EXPECT_EQ(error_of("SELECT (1))"),
            "1:11: expected a clause or the end of the statement, found )");
  EXPECT_EQ(error_of("SELECT t.* b FROM t"),
            "1:12: expected a clause or the end of the statement, found b");
  EXPECT_EQ(error_of("VALUES (1, 2), (3)"),
            "1:16: expected a row of 2 values like the first, found 1");
  EXPECT_EQ(error_of("SELECT 1 UNION 2"), "1:16: expected a query, found 2");
  EXPECT_EQ(error_of("WITH a (SELECT 1) SELECT 1").substr(0, 22), "1:9: expected the name");
  EXPECT_EQ(error_of("SELECT * FROM f(a = 1, 2)"),
            "1:24: expected name = value, as the argument before has a name");
  EXPECT_EQ(
      error_of("SELECT 'a" + std::string(100, 'b') + "' '" + std::string(100, 'c') + "'"),
      "1:112: expected a clause or the end of the statement, found '" + std::string(39, 'c') + "…");
}

TEST(Queries, AreRefusedByNameWhereOthersHaveThem) {
  EXPECT_EQ(error_of("SELECT a FROM t TABLESAMPLE 3"), "1:17: TABLESAMPLE is not supported");
  EXPECT_EQ(error_of("SELECT a FROM t PIVOT (sum(a) FOR b IN (1))"),
            "1:17: PIVOT is not supported");
  EXPECT_EQ(error_of("SELECT a FROM t ASOF JOIN u USING (a)"), "1:17: ASOF JOIN is not supported");
  EXPECT_EQ(error_of("SELECT a FROM t FOR UPDATE"), "1:17: FOR UPDATE is not supported");
  EXPECT_EQ(error_of("SELECT a INTO b FROM t"),
            "1:10: SELECT INTO is not supported; CREATE TABLE … AS makes tables");
  EXPECT_EQ(error_of("SELECT 1 UNION ALL BY NAME SELECT 2"), "1:20: BY NAME is not supported");
  EXPECT_EQ(error_of("WITH RECURSIVE r AS (SELECT 1) CYCLE a SET b USING c SELECT 1"),
            "1:32: CYCLE of recursive queries is not supported");
  EXPECT_EQ(error_of("SELECT a FROM t FETCH FIRST 2 ROWS WITH TIES"),
            "1:36: FETCH … WITH TIES is not supported");
}

TEST(Queries, MayBeLongAndNotDeep) {
  constexpr int kMany = 20'000;
  for (const char* part : {"SELECT 1 UNION ALL ", "SELECT 1 INTERSECT SELECT 2 EXCEPT "}) {
    EXPECT_EQ(error_of(repeated(part, kMany) + "SELECT 1"), "no error");
  }
  EXPECT_EQ(error_of("SELECT * FROM a " + repeated("JOIN b USING (x) ", kMany)), "no error");
  EXPECT_EQ(error_of("VALUES " + repeated("(1, 'a'), ", kMany) + "(1, 'b')"), "no error");
  for (const char* part : {"SELECT * FROM (", "(", "WITH a AS (", "SELECT 1 UNION ("}) {
    const std::string error = error_of(repeated(part, kMany));
    EXPECT_EQ(error.substr(error.find(' ') + 1), "nested more than 1000 levels deep") << part;
  }
  for (const char* part : {"(a JOIN ", "(", "a JOIN "}) {
    const std::string error = error_of("SELECT * FROM " + repeated(part, kMany));
    EXPECT_EQ(error.substr(error.find(' ') + 1), "nested more than 1000 levels deep") << part;
  }
}

}  // namespace
}  // namespace grappa::query::sql
