#pragma once

// CandidateTypes: what type a column of texts is of, by the texts.
//
//   CandidateTypes types;
//   types.narrow("17");
//   types.narrow("2.5");
//   types.best() == kDouble;
//
// Of types that hold all values of another (double of bigint, timestamp of date, text of all) the
// narrower comes first; so a text that the best one does not hold leaves wider ones, which hold all
// that came before.

#include <array>
#include <cstdint>
#include <string_view>

#include "grappa/query/type.hpp"

namespace grappa::query {

class CandidateTypes {
 public:
  /// The narrowest that is left; kNull while nothing has narrowed them.
  Type best() const;
  /// Leaves those that `text` is a value of. Text is always left.
  void narrow(std::string_view text);
  /// Of a text that stands for itself: it is neither a number nor a boolean.
  void exclude_numbers() { bits_ &= static_cast<std::uint8_t>(~0xfU); }
  /// Leaves those that are in both.
  void narrow(const CandidateTypes& other) { bits_ &= other.bits_; }

  friend bool operator==(const CandidateTypes&, const CandidateTypes&) = default;

 private:
  static constexpr std::array<Type, 8> kTypes{
      kBoolean,   kInt64, Type::decimal(Type::kMostDigits, 0), kDouble, kDate, Type{TypeId::kTime},
      kTimestamp, kText};
  static constexpr std::uint8_t kAll = 0xff;

  std::uint8_t bits_ = kAll;  // a bit for each of the types
};

/// Whether a column of the type is taken to have such a text: as parse() in value_text.hpp, but a
/// boolean is a word, and what a decimal has behind a point is not rounded away.
bool holds(const Type& type, std::string_view text);

}  // namespace grappa::query
