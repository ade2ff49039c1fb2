#pragma once

// The functions of Datalog, operators included: their names, and the kinds that they take and give.

#include <cstdint>
#include <string_view>
#include <vector>

namespace grappa::query::datalog {

/// What an attribute holds, 64 bits of it: an integer with or without a sign, a double, a text.
enum class Kind : std::uint8_t { kNumber, kUnsigned, kFloat, kSymbol };

/// "number"
std::string_view name_of(Kind kind);

enum class Functor : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kPower,
  kNegate,
  kMin,
  kMax,
  kBitAnd,
  kBitOr,
  kBitXor,
  kBitNot,
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
  kAnd,
  kOr,
  kXor,
  kNot,
  kCat,
  kStrlen,
  kSubstr,
  kOrd,
  kToString,
  kToNumber,
  kToUnsigned,
  kToFloat,
};

/// A kind that a functor takes or gives.
enum class Slot : std::uint8_t {
  kNumber,
  kUnsigned,
  kFloat,
  kSymbol,
  kArithmetic,  // a number, an unsigned or a float, the same in all such places
  kInteger,     // a number or an unsigned, the same in all such places
  kAny,
};

struct FunctorInfo {
  std::string_view name;
  Functor functor;
  Slot result;
  std::vector<Slot> parameters;
  bool is_variadic = false;  // the last parameter repeats
};

/// Null if there is none. Minus before an operand is "negate".
const FunctorInfo* find_functor(std::string_view name);
/// Those that are written name(…).
std::vector<std::string_view> functor_names();

}  // namespace grappa::query::datalog
