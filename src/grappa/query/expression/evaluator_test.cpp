#include "grappa/query/expression/evaluator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace grappa::query {
namespace {

/// What columns 0 and 1 are in the nine rows of two values of true, false and NULL.
struct Truths {
  std::array<std::uint8_t, 9> first_values{1, 1, 1, 0, 0, 0, 0, 0, 0};
  std::array<std::uint64_t, 1> first_valid{0b000'111'111};
  // By a dictionary of true, false and NULL.
  std::array<std::uint8_t, 3> second_values{1, 0, 0};
  std::array<std::uint64_t, 1> second_valid{0b011};
  std::array<Position, 9> second_codes{0, 1, 2, 0, 1, 2, 0, 1, 2};

  Batch batch() const {
    Batch made;
    made.rows = made.count = 9;
    made.columns = {{.type = kBoolean, .values = first_values.data(), .valid = first_valid.data()},
                    {.type = kBoolean,
                     .dictionary_size = 3,
                     .dictionary_id = 1,
                     .values = second_values.data(),
                     .codes = second_codes.data(),
                     .valid = second_valid.data()}};
    return made;
  }
};

const ExpressionPtr kFirst = column(0, kBoolean, "a");
const ExpressionPtr kSecond = column(1, kBoolean, "b");

/// Row by row, with constants in the place of columns.
Value by_constants(const ExpressionPtr& expression, const Batch& batch, std::size_t row) {
  return evaluate_constant(replace_columns(expression, [&](const Expression& of) {
    return constant(Value::of(batch.columns[static_cast<std::size_t>(of.column)], row));
  }));
}

const ColumnPlaces kPlaces = [](ColumnId id) { return static_cast<std::size_t>(id); };

TEST(Evaluator, ThreeValuesOfTruth) {
  const Truths truths;
  const Batch batch = truths.batch();
  const auto row_of = [&](const ExpressionPtr& expression) {
    std::string text;
    Evaluator evaluator(expression, kPlaces);
    const Vector& values = evaluator.evaluate(batch);
    for (std::size_t row = 0; row < 9; ++row)
      text += !values.is_valid(row) ? 'N' : values.at<std::uint8_t>(row) != 0 ? 'T' : 'F';
    return text;
  };
  EXPECT_EQ(row_of(all_of({kFirst, kSecond})), "TFNFFFNFN");
  EXPECT_EQ(row_of(any_of({kFirst, kSecond})), "TTTTFNTNN");
  EXPECT_EQ(row_of(negation(kSecond)), "FTNFTNFTN");
  EXPECT_EQ(row_of(call("=", {kFirst, kSecond})), "TFNFTNNNN");
  EXPECT_EQ(row_of(call("is not distinct from", {kFirst, kSecond})), "TFFFTFFFT");
  EXPECT_EQ(row_of(is_null(kSecond)), "FFTFFTFFT");
  EXPECT_EQ(row_of(coalesce({kFirst, kSecond})), "TTTFFFTFN");
  EXPECT_EQ(row_of(case_when({kFirst, kSecond, is_null(kSecond)})), "TFNFFTFFT");
}

/// The same of all rows, of some, and as a condition.
TEST(Evaluator, SelectedRowsOnly) {
  const Truths truths;
  const Batch all = truths.batch();
  for (const ExpressionPtr& expression :
       {all_of({kFirst, kSecond}), any_of({kFirst, negation(kSecond)}),
        call("<>", {kFirst, kSecond}), negation(is_null(all_of({kFirst, kSecond}))), kSecond,
        case_when({kSecond, kFirst, kSecond}), is_in({kFirst, constant(Value::boolean(true))})}) {
    Evaluator evaluator(expression, kPlaces);
    for (unsigned mask = 0; mask < 512; ++mask) {
      std::array<Position, 9> some;
      Batch batch = all;
      batch.count = 0;
      batch.selection = some.data();
      for (unsigned row = 0; row < 9; ++row)
        if ((mask >> row & 1) != 0) some[batch.count++] = static_cast<Position>(row);
      const Vector& values = evaluator.evaluate(batch);
      std::vector<Position> holds;
      batch.for_each([&](std::size_t row) {
        const Value expected = by_constants(expression, all, row);
        EXPECT_EQ(values.is_valid(row), !expected.is_null()) << text_of(*expression) << row;
        if (!expected.is_null()) {
          EXPECT_EQ(values.at<std::uint8_t>(row) != 0, expected.is_true()) << text_of(*expression);
        }
        if (expected.is_true()) holds.push_back(static_cast<Position>(row));
      });
      std::array<Position, kBatchRows> selected;
      const std::size_t count = evaluator.select(batch, selected.data());
      EXPECT_EQ(std::vector<Position>(selected.begin(), selected.begin() + count), holds)
          << text_of(*expression);
    }
  }
}

/// A constant becomes one of the column's type where it is one; else the column is cast.
TEST(Comparisons, CastConstantsRatherThanColumns) {
  const ExpressionPtr price = column(0, Type::decimal(15, 2), "price");
  const ExpressionPtr small = column(0, kInt32, "small");
  const auto compared = [](const ExpressionPtr& with, const char* digits, const Type& type) {
    return text_of(*call("<", {with, cast(constant(Value::text(digits)), type)}));
  };
  EXPECT_EQ(compared(price, "0.05", Type::decimal(18, 2)), "(price < 0.05)");
  EXPECT_EQ(compared(price, "24", kInt64), "(price < 24.00)");
  EXPECT_EQ(compared(small, "2147483647", kInt64), "(small < 2147483647)");
  EXPECT_EQ(compared(small, "2147483648", kInt64), "(CAST(small AS bigint) < 2147483648)");
  EXPECT_EQ(compared(small, "-2147483649", kInt64), "(CAST(small AS bigint) < -2147483649)");
  EXPECT_EQ(compared(small, "1.5", Type::decimal(2, 1)), "(CAST(small AS decimal(11,1)) < 1.5)");
  EXPECT_EQ(compared(price, "9999999999999.99", Type::decimal(18, 2)),
            "(price < 9999999999999.99)");
  EXPECT_EQ(compared(price, "10000000000000.00", Type::decimal(18, 2)),
            "(CAST(price AS decimal(18,2)) < 10000000000000.00)");
}

/// More digits of a decimal change nothing in memory.
TEST(Evaluator, CastsThatOnlyRename) {
  const std::array<std::int64_t, 3> values{150, -7, 0};
  Batch batch;
  batch.rows = batch.count = values.size();
  batch.columns = {{.type = Type::decimal(5, 2), .values = values.data()}};
  const ExpressionPtr price = column(0, Type::decimal(5, 2), "price");
  Evaluator wider(cast(price, Type::decimal(18, 2)), kPlaces);
  const Vector& same = wider.evaluate(batch);
  EXPECT_EQ(same.type, Type::decimal(18, 2));
  EXPECT_EQ(same.values, values.data());
  Evaluator finer(cast(price, Type::decimal(18, 3)), kPlaces);
  EXPECT_EQ(finer.evaluate(batch).at<std::int64_t>(1), -70);
}

}  // namespace
}  // namespace grappa::query
