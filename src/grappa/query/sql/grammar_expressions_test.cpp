#include <gtest/gtest.h>

#include "grappa/query/sql/test_parsing.hpp"

namespace grappa::query::sql {
namespace {

/// A text that says the same as another.
testing::AssertionResult same(std::string_view a, std::string_view b) {
  if (parse_expression(a) == parse_expression(b)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << expression_text(a) << " is not " << expression_text(b);
}

TEST(Expressions, KeepLiteralsAsWritten) {
  EXPECT_EQ(expression_text("123456789012345678901234567890"), "123456789012345678901234567890");
  EXPECT_EQ(expression_text("1.50 + .5 + 2. + 1E3"), "1.50 + .5 + 2. + 1E3");
  EXPECT_EQ(expression_text("'it''s'"), "'it''s'");
  EXPECT_EQ(expression_text("E'it\\'s'"), "'it''s'");
  EXPECT_EQ(expression_text("null"), "NULL");
  EXPECT_EQ(expression_text("true or False"), "TRUE OR FALSE");
}

TEST(Expressions, KeepNamesAsWrittenAndCompareThemFolded) {
  EXPECT_EQ(expression_text("T.Price"), "T.Price");
  EXPECT_EQ(expression_text("\"a b\".\"Order\""), "\"a b\".\"Order\"");
  EXPECT_EQ(expression_text("\"plain\""), "plain");
  EXPECT_EQ(expression_text("größe"), "größe");
  EXPECT_TRUE(same("T.Price", "t.\"PRICE\""));
  EXPECT_FALSE(same("price", "prices"));
  EXPECT_EQ(column_name(parse_expression("t.Price")), "Price");
  EXPECT_EQ(column_name(parse_expression("Sum(T.Price)")), "Sum(T.Price)");
}

TEST(Expressions, MayBeNamedAsWordsThatAreNotReserved) {
  for (const char* name : {"date", "year", "name", "value", "key", "row", "interval", "timestamp",
                           "user", "values", "first", "position", "exists", "extract", "type"}) {
    EXPECT_EQ(expression_text(name), name);
  }
  EXPECT_EQ(expression_text("t.select"), "t.\"select\"");
}

TEST(Expressions, BindAsInPostgreSQL) {
  EXPECT_TRUE(same("a + b * c", "a + (b * c)"));
  EXPECT_TRUE(same("a - b - c", "(a - b) - c"));
  EXPECT_FALSE(same("a - b - c", "a - (b - c)"));
  EXPECT_TRUE(same("a / b * c % d", "((a / b) * c) % d"));
  EXPECT_TRUE(same("a ^ b ^ c", "(a ^ b) ^ c"));
  EXPECT_TRUE(same("-a ^ b", "(-a) ^ b"));
  EXPECT_TRUE(same("-a::int", "-(a::int)"));
  EXPECT_TRUE(same("a || b + c", "a || (b + c)"));
  EXPECT_TRUE(same("a LIKE b || c", "a LIKE (b || c)"));
  EXPECT_TRUE(same("a = b LIKE c", "a = (b LIKE c)"));
  EXPECT_TRUE(same("a = b IS NULL", "(a = b) IS NULL"));
  EXPECT_TRUE(same("NOT a = b", "NOT (a = b)"));
  EXPECT_TRUE(same("NOT a IS NULL", "NOT (a IS NULL)"));
  EXPECT_TRUE(same("NOT a AND b", "(NOT a) AND b"));
  EXPECT_TRUE(same("a OR b AND c OR d", "a OR (b AND c) OR d"));
  EXPECT_TRUE(same("a BETWEEN b AND c AND d", "(a BETWEEN b AND c) AND d"));
  EXPECT_TRUE(same("a < b + 1 AND c", "(a < (b + 1)) AND c"));
  EXPECT_TRUE(same("a IS DISTINCT FROM b OR c", "(a IS DISTINCT FROM b) OR c"));
}

TEST(Expressions, AreWrittenWithTheParenthesesTheyNeed) {
  EXPECT_EQ(expression_text("((a + (b * c)))"), "a + b * c");
  EXPECT_EQ(expression_text("(a + b) * c"), "(a + b) * c");
  EXPECT_EQ(expression_text("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(expression_text("a AND (b OR c)"), "a AND (b OR c)");
  EXPECT_EQ(expression_text("NOT (a AND b)"), "NOT (a AND b)");
  EXPECT_EQ(expression_text("(a = b) = c"), "(a = b) = c");
  EXPECT_EQ(expression_text("- (- a)"), "-(-a)");
  EXPECT_EQ(expression_text("(a IS NULL) + 1"), "(a IS NULL) + 1");
  EXPECT_EQ(expression_text("(a IN (1)) IN (2)"), "(a IN (1)) IN (2)");
}

TEST(Expressions, ChainsAreOneNode) {
  const Expression sum = parse_expression("a + b - c + d");
  const auto& operation = std::get<Operation>(sum.node);
  ASSERT_EQ(operation.operands.size(), 4u);
  ASSERT_EQ(operation.operators.size(), 3u);
  EXPECT_EQ(operation.operators[1].op, Operator::kSubtract);
  EXPECT_EQ(operation.operators[1].position.offset, 6u);
  EXPECT_EQ(std::get<Operation>(parse_expression("a and b and c").node).operands.size(), 3u);
}

TEST(Expressions, KnowOperatorsOfBits) {
  for (const char* text : {"a & b | c << 1 >> 2", "~a & b", "~(a & b)", "~ ~a"})
    EXPECT_EQ(expression_text(text), expression_text(expression_text(text)));
  EXPECT_EQ(expression_text("(~a) & (b | 1 + 2)"), "~a & (b | 1 + 2)");
  EXPECT_EQ(expression_text("~(a + b)"), "~a + b");  // + binds more tightly
  EXPECT_EQ(expression_text("a & (b = c)"), "a & (b = c)");
}

TEST(Expressions, KnowPredicates) {
  for (const char* text : {"a IS NULL",
                           "a IS NOT NULL",
                           "a IS TRUE",
                           "a IS NOT TRUE",
                           "a IS FALSE",
                           "a IS NOT FALSE",
                           "a IS UNKNOWN",
                           "a IS NOT UNKNOWN",
                           "a IS DISTINCT FROM b",
                           "a IS NOT DISTINCT FROM b",
                           "a BETWEEN 1 AND 2",
                           "a NOT BETWEEN SYMMETRIC 2 AND 1",
                           "a LIKE 'x%'",
                           "a NOT LIKE 'x!%' ESCAPE '!'",
                           "a ILIKE 'x'",
                           "a NOT ILIKE b",
                           "a SIMILAR TO 'x|y'",
                           "a NOT SIMILAR TO 'x' ESCAPE ''",
                           "a IN (1, 2)",
                           "a NOT IN (SELECT b FROM t)",
                           "(a, b) IN ((1, 2), (3, 4))",
                           "(a, b) IN (SELECT c, d FROM t)",
                           "EXISTS (SELECT 1)",
                           "NOT EXISTS (SELECT 1)",
                           "a = ANY (SELECT b FROM t)",
                           "a <= ALL (SELECT b FROM t)",
                           "a ~ 'x' AND b !~ 'y' AND c ~* 'z' AND d !~* 'w'",
                           "(a, b) = (1, 2)"}) {
    EXPECT_EQ(expression_text(text), text);
  }
  EXPECT_EQ(expression_text("a isnull or b notnull"), "a IS NULL OR b IS NOT NULL");
  EXPECT_EQ(expression_text("a == some (select 1)"), "a = ANY (SELECT 1)");
  EXPECT_EQ(expression_text("a != 1"), "a <> 1");
  EXPECT_EQ(expression_text("a between asymmetric 1 and 2"), "a BETWEEN 1 AND 2");
  EXPECT_EQ(expression_text("a in ((select 1))"), "a IN (SELECT 1)");
  EXPECT_EQ(expression_text("a in ((select 1 limit 1) union select 2)"),
            "a IN ((SELECT 1 LIMIT 1) UNION SELECT 2)");
  EXPECT_EQ(expression_text("a is null is not true"), "(a IS NULL) IS NOT TRUE");
  EXPECT_EQ(expression_text("a in (1) in (2)"), "(a IN (1)) IN (2)");
}

TEST(Expressions, KnowCaseAndCasts) {
  for (const char* text :
       {"CASE WHEN a THEN b END", "CASE a WHEN 1 THEN b WHEN 2 THEN c ELSE d END",
        "CAST(a AS decimal(15, 2))", "TRY_CAST(a AS int)", "CAST(a AS double precision)",
        "CAST(a AS timestamp(3) with time zone)", "CAST(a AS varchar(10))"}) {
    EXPECT_EQ(expression_text(text), text);
  }
  EXPECT_EQ(expression_text("a::int::text"), "CAST(CAST(a AS int) AS text)");
  EXPECT_EQ(expression_text("a::character varying(10)"), "CAST(a AS varchar(10))");
  EXPECT_EQ(expression_text("a::Timestamp Without Time Zone"), "CAST(a AS timestamp)");
  EXPECT_EQ(expression_text("date '2001-01-01'"), "CAST('2001-01-01' AS date)");
  EXPECT_EQ(expression_text("TIMESTAMP WITH TIME ZONE '2001-01-01'"),
            "CAST('2001-01-01' AS timestamp with time zone)");
  EXPECT_EQ(expression_text("try_cast + 1"), "try_cast + 1");  // a column
}

TEST(Expressions, KnowIntervals) {
  EXPECT_EQ(expression_text("interval '3' month"), "INTERVAL '3' MONTH");
  EXPECT_EQ(expression_text("interval 3 days"), "INTERVAL 3 DAY");
  EXPECT_EQ(expression_text("interval (n + 1) hour"), "INTERVAL (n + 1) HOUR");
  EXPECT_EQ(expression_text("interval '90' day (3)"), "INTERVAL '90' DAY");
  EXPECT_EQ(expression_text("interval '3 months'"), "CAST('3 months' AS interval)");
  EXPECT_EQ(expression_text("d - interval '1' year"), "d - INTERVAL '1' YEAR");
}

TEST(Expressions, MakeCallsOfWhatHasKeywordsInside) {
  EXPECT_EQ(expression_text("extract(YEAR from d)"), "extract('year', d)");
  EXPECT_EQ(expression_text("extract('year', d)"), "extract('year', d)");
  EXPECT_EQ(expression_text("substring(x from 1 for 2)"), "substring(x, 1, 2)");
  EXPECT_EQ(expression_text("substring(x for 2)"), "substring(x, 1, 2)");
  EXPECT_EQ(expression_text("substring(x, 1, 2)"), "substring(x, 1, 2)");
  EXPECT_EQ(expression_text("position('b' in x || y)"), "position(x || y, 'b')");
  EXPECT_EQ(expression_text("trim(both 'x' from y)"), "trim(y, 'x')");
  EXPECT_EQ(expression_text("trim(leading from y)"), "ltrim(y)");
  EXPECT_EQ(expression_text("trim(trailing 'x' from y)"), "rtrim(y, 'x')");
  EXPECT_EQ(expression_text("trim(y)"), "trim(y)");
  EXPECT_EQ(expression_text("overlay(x placing y from 1 for 2)"), "overlay(x, y, 1, 2)");
  EXPECT_EQ(expression_text("current_date - 1"), "current_date - 1");
  EXPECT_EQ(expression_text("left(x, 1) || right(x, 1)"), "left(x, 1) || right(x, 1)");
}

TEST(Expressions, KnowAggregatesAndWindows) {
  for (const char* text :
       {"count(*)", "count(DISTINCT a)", "f()", "array_agg(a ORDER BY b DESC NULLS LAST, c)",
        "sum(a) FILTER (WHERE b > 1)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY a)",
        "row_number() OVER ()", "sum(a) OVER w",
        "sum(a) OVER (w ROWS BETWEEN 1 PRECEDING AND "
        "CURRENT ROW)",
        "lag(a, 1, 0) IGNORE NULLS OVER (PARTITION BY b, c ORDER BY d)",
        "sum(a) FILTER (WHERE b) OVER (ORDER BY c RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND "
        "UNBOUNDED FOLLOWING EXCLUDE TIES)",
        "max(a) OVER (ORDER BY b GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING EXCLUDE CURRENT "
        "ROW)"}) {
    EXPECT_EQ(expression_text(text), text);
  }
  EXPECT_EQ(expression_text("sum(all a)"), "sum(a)");
  EXPECT_EQ(
      expression_text("last_value(a ignore nulls) over (order by b rows 2 preceding)"),
      "last_value(a) IGNORE NULLS OVER (ORDER BY b ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)");
}

TEST(Expressions, MayBeRowsAndSubqueries) {
  EXPECT_EQ(expression_text("(a, b, c)"), "(a, b, c)");
  EXPECT_EQ(expression_text("row(a)"), "ROW(a)");
  EXPECT_EQ(expression_text("row()"), "ROW()");
  EXPECT_EQ(expression_text("(select 1) + 1"), "(SELECT 1) + 1");
  EXPECT_EQ(expression_text("((select 1) + 1)"), "(SELECT 1) + 1");
  EXPECT_EQ(expression_text("((select 1) union (select 2) limit 1)"),
            "(SELECT 1 UNION SELECT 2 LIMIT 1)");
  EXPECT_EQ(expression_text("((select 1))"), "(SELECT 1)");
}

TEST(Expressions, StandWhereTheySay) {
  const auto offset_of = [](std::string_view text) {
    return parse_expression(text).position.offset;
  };
  EXPECT_EQ(offset_of("  a"), 2u);
  EXPECT_EQ(offset_of("a  + b"), 3u);
  EXPECT_EQ(offset_of("a is null"), 2u);
  EXPECT_EQ(offset_of("a not in (1)"), 2u);
  EXPECT_EQ(offset_of(" f(x) over ()"), 1u);
  EXPECT_EQ(offset_of("( a)"), 2u);
  EXPECT_EQ(std::get<ColumnReference>(parse_expression("t. a").node).parts[1].position.offset, 3u);
}

TEST(Expressions, AreRefusedWithWhatWasExpected) {
  const auto error_in = [](const std::string& text) { return error_of("SELECT " + text); };
  EXPECT_EQ(error_in("a +"), "1:11: expected an expression, found the end of the text");
  EXPECT_EQ(error_in("a < b < c"),
            "1:14: expected parentheses around one of two comparisons, found <");
  EXPECT_EQ(error_in("a IS 3"),
            "1:13: expected NOT, NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM, found 3");
  EXPECT_EQ(error_in("(SELECT a FROM t WHERE b, c)"), "1:32: expected ), found ,");
  EXPECT_EQ(error_in("f( ORDER BY a)"), "1:11: expected an expression, found ORDER");
  EXPECT_EQ(error_in("f(a, b FROM t"), "1:15: expected an operator, a comma or ), found FROM");
  EXPECT_EQ(error_in("CASE a THEN b END"), "1:15: expected WHEN, found THEN; the nearest is WHEN");
  EXPECT_EQ(error_in("CASE WHEN a THEN b ELSE c"), "1:33: expected END, found the end of the text");
  EXPECT_EQ(error_in("CAST(a AS 3)"), "1:18: expected a type, found 3");
  EXPECT_EQ(error_in("CAST(a AS decimal(x))"),
            "1:26: expected a length or a number of digits, found x");
  EXPECT_EQ(error_in("INTERVAL 3"),
            "1:18: expected a unit such as DAY or MONTH, found the end of the text");
  EXPECT_EQ(error_in("sum(a) OVER (ROWS 1)"), "1:27: expected PRECEDING or FOLLOWING, found )");
  EXPECT_EQ(error_in("sum(a) OVER (ROWS BETWEEN CURRENT ROW AND 1 PRECEDING)"),
            "1:21: expected a frame that begins before it ends");
}

TEST(Expressions, AreRefusedByNameWhereOthersHaveThem) {
  const auto error_in = [](const std::string& text) { return error_of("SELECT " + text); };
  EXPECT_EQ(error_in("[1, 2]"), "1:8: arrays and subscripts ([…]) are not supported");
  EXPECT_EQ(error_in("a[1]"), "1:9: arrays and subscripts ([…]) are not supported");
  EXPECT_EQ(error_in("ARRAY[1]"), "1:8: arrays are not supported");
  EXPECT_EQ(error_in("CAST(a AS int[])"), "1:21: arrays and subscripts ([…]) are not supported");
  EXPECT_EQ(error_in("{'a': 1}"), "1:8: structs and maps ({…}) are not supported");
  EXPECT_EQ(error_in("f(x -> x + 1)"), "1:12: lambdas and JSON paths (->) are not supported");
  EXPECT_EQ(error_in("$1"), "1:8: parameters ($1) are not supported");
  EXPECT_EQ(error_in("a = ?"), "1:12: parameters (?) are not supported");
  EXPECT_EQ(error_in("a # b"), "1:10: the operator # is not supported; exclusive or is xor(x, y)");
  EXPECT_EQ(error_in("a AT TIME ZONE 'UTC'"), "1:10: AT TIME ZONE is not supported");
  EXPECT_EQ(error_in("a COLLATE x"), "1:10: COLLATE is not supported");
  EXPECT_EQ(error_in("a LIKE ANY (SELECT 1)"), "1:15: LIKE ANY is not supported");
  EXPECT_EQ(error_in("s.f(1)"), "1:10: functions of a schema or a value (a.f()) are not supported");
}

// Recursion is bounded, and a chain is no nesting.
TEST(Expressions, AreRefusedWhereTheyAreNestedTooDeep) {
  constexpr int kMany = 100'000;
  const auto message_of = [](const std::string& text) {
    const std::string error = error_of("SELECT " + text);
    return error.substr(error.find(' ') + 1);
  };
  const std::string refusal = "nested more than 1000 levels deep";
  EXPECT_EQ(message_of(repeated("(", kMany)), refusal);
  EXPECT_EQ(message_of(repeated("(", kMany) + "1" + repeated(")", kMany)), refusal);
  EXPECT_EQ(message_of(repeated("- ", kMany) + "1"), refusal);
  EXPECT_EQ(message_of(repeated("NOT ", kMany) + "1"), refusal);
  EXPECT_EQ(message_of("1" + repeated("::int", kMany)), refusal);
  EXPECT_EQ(message_of("a" + repeated(" = b IS NULL", kMany)), refusal);
  EXPECT_EQ(message_of(repeated("CASE WHEN ", kMany)), refusal);
  EXPECT_EQ(message_of(repeated("f(", kMany)), refusal);
  EXPECT_EQ(message_of(repeated("a IN (SELECT ", kMany)), refusal);
  EXPECT_EQ(message_of(repeated("1 OR 1 AND NOT 1 = 1 || 1 + 1 * 1 ^ -(", kMany)), refusal);
  const std::string deep = repeated("(1 + ", 490) + "1" + repeated(")", 490);
  EXPECT_EQ(parse_expression(deep), Expression(parse_expression(deep)));
}

TEST(Expressions, MayBeLong) {
  constexpr int kMany = 50'000;
  for (const char* op : {" OR ", " AND ", " + ", " - 1 + ", " * ", " || ", " ^ ", " ~ "}) {
    const std::string text = repeated(std::string("x") + op, kMany) + "x";
    EXPECT_EQ(expression_text(text), text);
  }
  const std::string text =
      repeated("a = CAST(b AS int) AND ", kMany) + "c IN (" + repeated("1, ", kMany) + "1)";
  EXPECT_EQ(expression_text(text), text);
}

}  // namespace
}  // namespace grappa::query::sql
