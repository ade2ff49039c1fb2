// Any bytes are a program of Datalog that has a meaning, or a SyntaxError.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "grappa/query/datalog/check.hpp"
#include "grappa/query/datalog/parser.hpp"
#include "grappa/query/datalog/stratify.hpp"
#include "grappa/query/sql/syntax_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace grappa::query;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    datalog::stratify(datalog::check(datalog::parse(text), text), text);
  } catch (const sql::SyntaxError&) {
    return 0;
  }
  return 0;
}
