#include "grappa/query/datalog/functor.hpp"

#include <algorithm>
#include <array>

#include "grappa/query/datalog/grammar.hpp"

namespace grappa::query::datalog {
namespace {

const std::vector<FunctorInfo>& all_functors() {
  constexpr Slot A = Slot::kArithmetic;
  constexpr Slot I = Slot::kInteger;
  constexpr Slot N = Slot::kNumber;
  constexpr Slot U = Slot::kUnsigned;
  constexpr Slot F = Slot::kFloat;
  constexpr Slot S = Slot::kSymbol;
  static const std::vector<FunctorInfo> all = {
      {"+", Functor::kAdd, A, {A, A}},
      {"-", Functor::kSubtract, A, {A, A}},
      {"*", Functor::kMultiply, A, {A, A}},
      {"/", Functor::kDivide, A, {A, A}},
      {"%", Functor::kModulo, I, {I, I}},
      {"^", Functor::kPower, A, {A, A}},
      {"negate", Functor::kNegate, A, {A}},
      {"band", Functor::kBitAnd, I, {I, I}},
      {"bor", Functor::kBitOr, I, {I, I}},
      {"bxor", Functor::kBitXor, I, {I, I}},
      {"bnot", Functor::kBitNot, I, {I}},
      {"bshl", Functor::kShiftLeft, I, {I, I}},
      {"bshr", Functor::kShiftRight, I, {I, I}},
      {"bshru", Functor::kShiftRightUnsigned, I, {I, I}},
      {"land", Functor::kAnd, I, {I, I}},
      {"lor", Functor::kOr, I, {I, I}},
      {"lxor", Functor::kXor, I, {I, I}},
      {"lnot", Functor::kNot, I, {I}},
      {"min", Functor::kMin, A, {A, A}, true},
      {"max", Functor::kMax, A, {A, A}, true},
      {"cat", Functor::kCat, S, {S, S}, true},
      {"strlen", Functor::kStrlen, N, {S}},
      {"substr", Functor::kSubstr, S, {S, N, N}},
      {"ord", Functor::kOrd, N, {S}},
      {"to_string", Functor::kToString, S, {Slot::kAny}},
      {"to_number", Functor::kToNumber, N, {Slot::kAny}},
      {"to_unsigned", Functor::kToUnsigned, U, {Slot::kAny}},
      {"to_float", Functor::kToFloat, F, {Slot::kAny}},
      {"itof", Functor::kToFloat, F, {N}},
      {"itou", Functor::kToUnsigned, U, {N}},
      {"utoi", Functor::kToNumber, N, {U}},
      {"utof", Functor::kToFloat, F, {U}},
      {"ftoi", Functor::kToNumber, N, {F}},
      {"ftou", Functor::kToUnsigned, U, {F}},
  };
  return all;
}

bool is_word(std::string_view name) { return name[0] >= 'a' && name[0] <= 'z'; }

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"number", "unsigned", "float", "symbol"};
  return kNames[static_cast<std::size_t>(kind)];
}

const FunctorInfo* find_functor(std::string_view name) {
  const auto found = std::ranges::find(all_functors(), name, &FunctorInfo::name);
  return found == all_functors().end() ? nullptr : &*found;
}

std::vector<std::string_view> functor_names() {
  std::vector<std::string_view> names;
  for (const FunctorInfo& one : all_functors())
    if (is_functor(one.name)) names.push_back(one.name);
  return names;
}

bool is_functor(std::string_view name) {
  return is_word(name) && name != "negate" && !is_operator(name) && name != "bnot" &&
         name != "lnot" && find_functor(name) != nullptr;
}

bool is_test(std::string_view name) { return name == "match" || name == "contains"; }

}  // namespace grappa::query::datalog
