#include "bench/query_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "grappa/base/error.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::bench {
namespace {

constexpr double kTolerance = 1e-9;
/// From so many digits behind the point, a number may have been rounded to them.
constexpr std::size_t kRoundedDigits = 6;

std::optional<double> number_of(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

bool is_whole(const std::string& text) {
  return text.find_first_not_of("-0123456789") == std::string::npos;
}

/// What a number of this text may differ from another that was not rounded.
double most_rounded(const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos ||
      text.find_first_not_of("0123456789", point + 1) != std::string::npos)
    return 0;
  const std::size_t digits = text.size() - point - 1;
  return digits < kRoundedDigits ? 0 : 0.5 * std::pow(10, -static_cast<double>(digits));
}

bool agree(const std::optional<std::string>& expected, const std::optional<std::string>& found,
           bool may_be_rounded) {
  if (expected == found) return true;
  if (!expected || !found || (is_whole(*expected) && is_whole(*found))) return false;
  const auto x = number_of(*expected);
  const auto y = number_of(*found);
  return x && y &&
         std::abs(*x - *y) <= kTolerance * std::max(std::abs(*x), std::abs(*y)) +
                                  (may_be_rounded ? most_rounded(*found) : 0);
}

}  // namespace

void append_rows(Rows& rows, const query::Batch& batch) {
  batch.for_each([&](std::size_t position) {
    auto& row = rows.emplace_back(batch.columns.size());
    for (std::size_t c = 0; c < row.size(); ++c) {
      const query::Vector& column = batch.columns[c];
      if (!column.is_valid(position)) continue;
      row[c].emplace();
      query::with_physical(column.type.physical(), [&]<class T>() {
        query::append_text(*row[c], column.at<T>(position), column.type);
      });
    }
  });
}

Rows rows_of_json(const std::string& text) {
  Rows rows;
  try {
    for (const auto& values : nlohmann::json::parse(text)) {
      auto& row = rows.emplace_back();
      for (const auto& value : values) {
        row.emplace_back();
        if (!value.is_null()) row.back() = value.get<std::string>();
      }
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("an answer is no array of rows: {}", error.what()));
  }
  return rows;
}

std::optional<std::string> difference_of(const Rows& expected, const Rows& found,
                                         bool may_be_rounded) {
  if (found.size() != expected.size())
    return fmt::format("{} rows, not {}", found.size(), expected.size());
  const auto shown = [](const std::optional<std::string>& value) {
    return value ? "'" + *value + "'" : "NULL";
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].size() != expected[i].size())
      return fmt::format("{} columns, not {}", found[i].size(), expected[i].size());
    for (std::size_t c = 0; c < found[i].size(); ++c) {
      if (!agree(expected[i][c], found[i][c], may_be_rounded))
        return fmt::format("row {}, column {}: {}, not {}", i + 1, c + 1, shown(found[i][c]),
                           shown(expected[i][c]));
    }
  }
  return std::nullopt;
}

}  // namespace grappa::bench
