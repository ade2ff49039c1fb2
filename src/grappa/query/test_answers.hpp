#pragma once

// For tests: what a database says.
//
//   EXPECT_EQ(rows_of(database, "SELECT 1, 'one'"), std::vector<std::string>{"1|one|"});

#include <cstdint>
#include <string>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/expression/value.hpp"
#include "grappa/query/text_ref.hpp"

namespace grappa::test {

using query::Answer;
using query::Batch;
using query::Database;
using query::TextRef;
using query::Value;
using query::Vector;

/// What a query gives, row by row, in its order: of integers and texts.
inline std::vector<std::string> rows_of(Database& database, const std::string& query) {
  std::vector<std::string> rows;
  database.execute(query, [&](Answer& answer) {
    answer.for_each_batch([&](const Batch& batch) {
      batch.for_each([&](std::size_t row) {
        std::string& text = rows.emplace_back();
        for (const Vector& column : batch.columns) {
          if (!column.is_valid(row))
            text += "-";
          else if (column.type.is_text())
            text += column.at<TextRef>(row).view();
          else
            text += std::to_string(static_cast<std::int64_t>(Value::of(column, row).integer()));
          text += '|';
        }
      });
    });
  });
  return rows;
}

/// Of a query that fails; else nothing.
inline std::string error_of(Database& database, const std::string& query) {
  try {
    rows_of(database, query);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace grappa::test
