#pragma once

// What a core needs to evaluate rules.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/datalog/program.hpp"
#include "grappa/query/datalog/symbols.hpp"

namespace grappa::query::datalog {

/// Takes the tuples that rules give.
class Emitter {
 public:
  virtual ~Emitter() = default;
  virtual void emit(std::size_t relation, const Word* tuple) = 0;
};

/// A compiled regular expression.
class Pattern;

struct Context {
  std::string_view program{};  // its text, for errors
  Symbols* symbols = nullptr;
  int core = 0;
  Emitter* emitter = nullptr;
  std::string scratch{};
  std::map<Word, std::shared_ptr<const Pattern>> patterns{};
};

}  // namespace grappa::query::datalog
