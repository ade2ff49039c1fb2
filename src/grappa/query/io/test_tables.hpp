#pragma once

// For tests: tables loaded on a machine, as texts.
//
//   const Shown table = load(threads(2), [](const auto& parallel, const auto& exchange) {
//     return load_text({"a.csv"}, {}, parallel, exchange);
//   });
//   EXPECT_EQ(table.rows[0], (Row{"1", std::nullopt}));

#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/query/table.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::query::test {

using Row = std::vector<std::optional<std::string>>;

struct Shown {
  std::vector<std::string> columns;  // "price decimal(15,2)"
  std::vector<Row> rows;             // those of locale 0 first
  std::vector<ColumnFacts> facts;
};

inline Row row_of(const Block& block, std::size_t row) {
  Row texts;
  for (const ColumnBlock& column : block.columns) {
    const std::size_t begin = row / kBatchRows * kBatchRows;
    const Vector vector = column.vector(begin);
    std::optional<std::string>& text = texts.emplace_back();
    if (!vector.is_valid(row - begin)) continue;
    text.emplace();
    with_physical(column.type.physical(),
                  [&]<class T>() { append_text(*text, vector.at<T>(row - begin), column.type); });
  }
  return texts;
}

/// What load(parallel, exchange) returns on each locale; or its error, which has to be the same on
/// all of them.
template <class Load>
Shown load(Config config, const Load& load_table) {
  config.scan_payloads = false;  // all locales are in this process, and share what is on this stack
  std::vector<Table> tables;
  std::vector<std::exception_ptr> errors;
  run(config, [&] {
    tables.resize(static_cast<std::size_t>(locale_count()));
    errors.resize(tables.size());
    const Owned<Exchange> exchange = Exchange::create();
    const Owned<io::CoreTeam> team = io::CoreTeam::create();
    on_all_locales([&tables, &errors, &load_table, exchange = *exchange, team = *team] {
      const auto me = static_cast<std::size_t>(this_locale());
      try {
        tables[me] = load_table(team.parallel_for(), exchange);
      } catch (...) {
        errors[me] = std::current_exception();
      }
    });
  });
  for (const std::exception_ptr& error : errors) {
    if ((error != nullptr) != (errors[0] != nullptr)) throw std::logic_error("not all have failed");
  }
  if (errors[0]) std::rethrow_exception(errors[0]);
  Shown shown;
  for (const Column& column : tables[0].columns) {
    shown.columns.push_back(column.name + " " + name_of(column.type));
    shown.facts.push_back(column.facts);
  }
  for (const Table& table : tables) {
    for (const Block& block : table.blocks) {
      for (std::size_t row = 0; row < block.rows; ++row) shown.rows.push_back(row_of(block, row));
    }
  }
  for (const Table& table : tables) {
    if (table.rows != static_cast<std::int64_t>(shown.rows.size()))
      throw std::logic_error("not all rows are there");
  }
  return shown;
}

}  // namespace grappa::query::test
