#include <fmt/format.h>

#include <array>
#include <charconv>

#include "grappa/query/sql/grammar.hpp"
#include "grappa/query/sql/keywords.hpp"

namespace grappa::query::sql {

TypeName Grammar::whole_type() {
  TypeName made = type();
  if (!tokens_.at(TokenKind::kEnd)) tokens_.fail_expected("the end of the type");
  return made;
}

TypeName Grammar::type() {
  TypeName made;
  made.position = tokens_.position();
  if (!tokens_.at_name()) tokens_.fail_expected("a type");
  made.name = folded(tokens_.expect_name("a type").text);
  const bool is_timed = made.name == "time" || made.name == "timestamp";
  if (made.name == "double" && tokens_.accept("PRECISION")) made.name = "double precision";
  if ((made.name == "character" || made.name == "char") && tokens_.accept("VARYING")) {
    made.name = "varchar";
  }
  if (tokens_.at("(")) {
    if (made.name == "struct" || made.name == "map" || made.name == "union" ||
        made.name == "enum") {
      tokens_.fail(made.position, fmt::format("the type {} is not supported", made.name));
    }
    do {
      tokens_.skip();
      std::uint32_t value = 0;
      const std::string_view digits = tokens_.written();
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (!tokens_.at(TokenKind::kInteger) || error != std::errc()) {
        tokens_.fail_expected("a length or a number of digits");
      }
      tokens_.skip();
      made.parameters.push_back(value);
    } while (tokens_.at(","));
    tokens_.expect(")");
  }
  if (is_timed && tokens_.accept({"WITH", "TIME", "ZONE"})) {
    made.name += " with time zone";
  } else if (is_timed) {
    tokens_.accept({"WITHOUT", "TIME", "ZONE"});
  }
  if (tokens_.at("[")) tokens_.fail_expected("the end of the type");
  return made;
}

/// CAST(…) or TRY_CAST(…).
Expression Grammar::cast() {
  const Position place = tokens_.position();
  const bool is_try = tokens_.at("TRY_CAST");
  tokens_.skip();
  tokens_.expect("(");
  Expression value = expression();
  tokens_.expect("AS");
  Cast made{std::move(value), type(), is_try};
  tokens_.expect(")");
  grow();
  return {std::move(made), place};
}

/// ::type.
void Grammar::short_cast(Expression& value) {
  const Position place = tokens_.position();
  tokens_.expect("::");
  value = {Cast{std::move(value), type(), false}, place};
  grow();
}

/// DATE '2001-01-01', TIMESTAMP WITH TIME ZONE '…', DOUBLE PRECISION '…'.
bool Grammar::at_typed_string() const {
  if (!tokens_.at(TokenKind::kWord) || is_reserved(tokens_.written())) return false;
  if (tokens_.at(TokenKind::kString, 1)) return true;
  if (tokens_.at_any({"TIME", "TIMESTAMP"})) {
    return tokens_.at_any({"WITH", "WITHOUT"}, 1) && tokens_.at("TIME", 2);
  }
  return tokens_.at("DOUBLE") && tokens_.at("PRECISION", 1);
}

Expression Grammar::typed_string() {
  const Position place = tokens_.position();
  TypeName name = type();
  if (!tokens_.at(TokenKind::kString)) tokens_.fail_expected("a string");
  const Position value_place = tokens_.position();
  Expression value{Literal{LiteralKind::kString, tokens_.take_unquoted()}, value_place};
  grow();
  return {Cast{std::move(value), std::move(name), false}, place};
}

std::optional<IntervalUnit> Grammar::accept_unit() {
  struct Unit {
    std::string_view one, many;
    IntervalUnit unit;
  };
  constexpr std::array kUnits = {Unit{"YEAR", "YEARS", IntervalUnit::kYear},
                                 Unit{"QUARTER", "QUARTERS", IntervalUnit::kQuarter},
                                 Unit{"MONTH", "MONTHS", IntervalUnit::kMonth},
                                 Unit{"WEEK", "WEEKS", IntervalUnit::kWeek},
                                 Unit{"DAY", "DAYS", IntervalUnit::kDay},
                                 Unit{"HOUR", "HOURS", IntervalUnit::kHour},
                                 Unit{"MINUTE", "MINUTES", IntervalUnit::kMinute},
                                 Unit{"SECOND", "SECONDS", IntervalUnit::kSecond},
                                 Unit{"MILLISECOND", "MILLISECONDS", IntervalUnit::kMillisecond},
                                 Unit{"MICROSECOND", "MICROSECONDS", IntervalUnit::kMicrosecond}};
  for (const Unit& unit : kUnits) {
    if (tokens_.accept(unit.one) || tokens_.accept(unit.many)) return unit.unit;
  }
  return std::nullopt;
}

Expression Grammar::interval() {
  const Position place = tokens_.position();
  tokens_.expect("INTERVAL");
  const bool is_string = tokens_.at(TokenKind::kString);
  Expression value = tokens_.at("(") ? parenthesized() : literal_or_name();
  grow();
  const std::optional<IntervalUnit> unit = accept_unit();
  if (!unit) {
    if (!is_string) tokens_.fail_expected("a unit such as DAY or MONTH");
    return {Cast{std::move(value), {"interval", {}, place}, false}, place};
  }
  if (tokens_.at("TO")) {
    tokens_.fail(tokens_.position(),
                 "intervals of several units (YEAR TO MONTH) are not supported; INTERVAL '1 year 2 "
                 "months' is");
  }
  // INTERVAL '90' DAY (3), as TPC-H has it: so many digits has the value.
  if (tokens_.at("(") && tokens_.at(TokenKind::kInteger, 1) && tokens_.at(")", 2)) tokens_.skip(3);
  return {Interval{std::move(value), *unit}, place};
}

}  // namespace grappa::query::sql
