// Any bytes are statements of SQL, or a SyntaxError; a query written as text is that query; and it
// has a meaning and a plan, or an error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/query/plan/optimizer.hpp"
#include "grappa/query/sql/binder.hpp"
#include "grappa/query/sql/parser.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/sql/to_text.hpp"
#include "grappa/query/table.hpp"

namespace {

using namespace grappa::query;

std::shared_ptr<const Table> table_with(const std::vector<std::pair<std::string, Type>>& columns) {
  auto table = std::make_shared<Table>();
  for (const auto& [name, type] : columns) table->columns.push_back({name, type, {}});
  return table;
}

const sql::Catalog& catalog() {
  static const sql::Catalog made = [] {
    sql::Catalog tables;
    for (const char* const name : {"t", "u"})
      tables.tables[name] = table_with({{"id", kInt32},
                                        {"i", kInt32},
                                        {"j", kInt64},
                                        {"x", kDouble},
                                        {"s", kText},
                                        {"d", kDate}});
    tables.open_file = [](const auto&) { return table_with({{"i", kInt64}, {"s", kText}}); };
    tables.make_series = [](const std::string& name, auto...) {
      return table_with({{name, kInt64}});
    };
    return tables;
  }();
  return made;
}

void plan(const sql::Query& query, std::string_view text) {
  ColumnNumbers numbers;
  const sql::BoundQuery bound = sql::bind(query, text, catalog(), numbers);
  optimize(bound.relation, bound.columns, numbers);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const sql::Statement& statement : sql::parse_statements(text)) {
      const auto* const query = std::get_if<sql::Query>(&statement.node);
      if (query == nullptr) continue;
      const std::string written = sql::to_text(*query);
      const std::vector<sql::Statement> again = sql::parse_statements(written);
      if (again.size() != 1 || sql::to_text(std::get<sql::Query>(again[0].node)) != written)
        std::abort();
      plan(*query, text);
    }
  } catch (const grappa::UsageError&) {  // SyntaxError and QueryError
    return 0;
  }
  return 0;
}
