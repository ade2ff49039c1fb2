#pragma once

// Terms that can be computed, over registers that hold the values of variables.
//
//   const Operand operand = compile(term, symbols);
//   const Word value = operand.of(registers, context);
//
// Numbers wrap around at 64 bits. SyntaxError, with the place, for divisions by zero and texts that
// are no numbers.

#include <memory>

#include "grappa/query/datalog/context.hpp"
#include "grappa/query/datalog/program.hpp"

namespace grappa::query::datalog {

class Value {
 public:
  virtual ~Value() = default;
  virtual Word of(const Word* registers, Context& context) const = 0;
};

struct Operand {
  int variable = -1;
  Word constant = 0;
  std::shared_ptr<const Value> value{};  // neither

  Word of(const Word* registers, Context& context) const {
    if (variable >= 0) return registers[variable];
    return value ? value->of(registers, context) : constant;
  }
};

Operand compile(const Term& term, Symbols& symbols);

bool holds(Comparison comparison, Kind kind, Word left, Word right, const Context& context);
bool holds(Test test, Word pattern, Word text, Position position, Context& context);

}  // namespace grappa::query::datalog
