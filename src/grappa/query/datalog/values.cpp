#include "grappa/query/datalog/values.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grappa/query/datalog/number_literal.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::datalog {

class Pattern {
 public:
  /// Of all of a text.
  explicit Pattern(const std::string& text) {
    const std::string whole = "^(" + text + ")$";
    error_ = regcomp(&regex_, whole.c_str(), REG_EXTENDED | REG_NOSUB);
  }
  ~Pattern() {
    if (error_ == 0) regfree(&regex_);
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  bool is_valid() const { return error_ == 0; }
  bool matches(std::string_view text) const {
    regmatch_t range{.rm_so = 0, .rm_eo = static_cast<regoff_t>(text.size())};
    return regexec(&regex_, text.data(), 1, &range, REG_STARTEND) == 0;
  }

 private:
  regex_t regex_{};
  int error_;
};

namespace {

std::int64_t signed_of(Word word) { return std::bit_cast<std::int64_t>(word); }
double float_of(Word word) { return std::bit_cast<double>(word); }
Word word_of(double value) { return std::bit_cast<Word>(value == 0 ? 0.0 : value); }
Word word_of(bool value) { return value ? 1 : 0; }

Word power(Word base, Word exponent) {
  Word result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base)
    if ((exponent & 1) != 0) result *= base;
  return result;
}

/// The integer next to zero; the nearest there is for what does not fit.
Word truncated(double value, Kind kind) {
  if (std::isnan(value)) return 0;
  if (kind == Kind::kUnsigned) {
    if (value <= 0) return 0;
    return value >= 0x1p64 ? ~Word{0} : static_cast<Word>(value);
  }
  if (value >= 0x1p63) return std::bit_cast<Word>(INT64_MAX);
  return std::bit_cast<Word>(value <= -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(value));
}

std::strong_ordering ordered(Kind kind, Word left, Word right) {
  return kind == Kind::kUnsigned ? left <=> right : signed_of(left) <=> signed_of(right);
}

class Call final : public Value {
 public:
  Call(const Term& term, std::vector<Operand> operands)
      : functor_(term.functor->functor),
        kind_(term.kind),
        from_(term.arguments[0].kind),
        position_(term.position),
        operands_(std::move(operands)) {}

  Word of(const Word* registers, Context& context) const override {
    const auto operand = [&](std::size_t i) { return operands_[i].of(registers, context); };
    switch (functor_) {
      case Functor::kCat:
        return cat(registers, context);
      case Functor::kStrlen:
        return context.symbols->text(operand(0), context.core).size();
      case Functor::kSubstr:
        return substr(operand(0), signed_of(operand(1)), signed_of(operand(2)), context);
      case Functor::kOrd:
        return operand(0);
      case Functor::kToString:
      case Functor::kToNumber:
      case Functor::kToUnsigned:
      case Functor::kToFloat:
        return convert(operand(0), context);
      default:
        break;
    }
    Word value = operand(0);
    if (operands_.size() == 1)
      return kind_ == Kind::kFloat ? word_of(-float_of(value)) : unary(value);
    for (std::size_t i = 1; i < operands_.size(); ++i)
      value = kind_ == Kind::kFloat ? word_of(real(float_of(value), float_of(operand(i))))
                                    : binary(value, operand(i), context);
    return value;
  }

 private:
  [[noreturn]] void fail(const Context& context, const std::string& message) const {
    throw sql::SyntaxError(context.program, position_, message);
  }

  Word unary(Word a) const {
    switch (functor_) {
      case Functor::kNegate:
        return -a;
      case Functor::kBitNot:
        return ~a;
      case Functor::kNot:
        return word_of(a == 0);
      default:
        return a;  // min and max of one
    }
  }

  double real(double a, double b) const {
    switch (functor_) {
      case Functor::kAdd:
        return a + b;
      case Functor::kSubtract:
        return a - b;
      case Functor::kMultiply:
        return a * b;
      case Functor::kDivide:
        return a / b;
      case Functor::kPower:
        return std::pow(a, b);
      case Functor::kMin:
        return std::min(a, b);
      default:
        return std::max(a, b);
    }
  }

  Word binary(Word a, Word b, const Context& context) const {
    switch (functor_) {
      case Functor::kAdd:
        return a + b;
      case Functor::kSubtract:
        return a - b;
      case Functor::kMultiply:
        return a * b;
      case Functor::kDivide:
      case Functor::kModulo:
        return divided(a, b, context);
      case Functor::kPower:
        if (kind_ == Kind::kNumber && signed_of(b) < 0)
          return truncated(std::pow(signed_of(a), signed_of(b)), kind_);
        return power(a, b);
      case Functor::kBitAnd:
        return a & b;
      case Functor::kBitOr:
        return a | b;
      case Functor::kBitXor:
        return a ^ b;
      case Functor::kShiftLeft:
        return a << (b & 63);
      case Functor::kShiftRight:
        return kind_ == Kind::kNumber ? std::bit_cast<Word>(signed_of(a) >> (b & 63))
                                      : a >> (b & 63);
      case Functor::kShiftRightUnsigned:
        return a >> (b & 63);
      case Functor::kAnd:
        return word_of(a != 0 && b != 0);
      case Functor::kOr:
        return word_of(a != 0 || b != 0);
      case Functor::kXor:
        return word_of((a != 0) != (b != 0));
      case Functor::kMin:
        return ordered(kind_, b, a) < 0 ? b : a;
      default:
        return ordered(kind_, b, a) > 0 ? b : a;
    }
  }

  Word divided(Word a, Word b, const Context& context) const {
    if (b == 0) fail(context, "a division by zero");
    const bool is_quotient = functor_ == Functor::kDivide;
    if (kind_ == Kind::kUnsigned) return is_quotient ? a / b : a % b;
    if (signed_of(b) == -1) return is_quotient ? -a : 0;
    return std::bit_cast<Word>(is_quotient ? signed_of(a) / signed_of(b)
                                           : signed_of(a) % signed_of(b));
  }

  Word cat(const Word* registers, Context& context) const {
    std::string made;
    for (const Operand& of : operands_)
      made += context.symbols->text(of.of(registers, context), context.core);
    return context.symbols->intern(made, context.core);
  }

  /// As Soufflé: what lies outside of the text is left out.
  Word substr(Word word, std::int64_t begin, std::int64_t length, Context& context) const {
    const std::string_view text = context.symbols->text(word, context.core);
    if (begin < 0 || length < 0 || begin > static_cast<std::int64_t>(text.size()))
      return context.symbols->intern({}, context.core);
    return context.symbols->intern(
        std::string(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(length))),
        context.core);
  }

  Word convert(Word value, Context& context) const {
    if (from_ == kind_) return value;
    if (kind_ == Kind::kSymbol) {
      std::string text;
      append_number(text, value, from_);
      return context.symbols->intern(text, context.core);
    }
    if (from_ == Kind::kSymbol) {
      const std::string_view text = context.symbols->text(value, context.core);
      const std::optional<Word> number = parse_literal(text, kind_);
      if (!number) fail(context, fmt::format("\"{}\" is no {}", text, name_of(kind_)));
      return *number;
    }
    if (from_ == Kind::kFloat) return truncated(float_of(value), kind_);
    if (kind_ == Kind::kFloat)
      return word_of(from_ == Kind::kNumber ? static_cast<double>(signed_of(value))
                                            : static_cast<double>(value));
    return value;
  }

  Functor functor_;
  Kind kind_;
  Kind from_;
  Position position_;
  std::vector<Operand> operands_;
};

template <class T>
bool compare(Comparison comparison, const T& a, const T& b) {
  switch (comparison) {
    case Comparison::kEqual:
      return a == b;
    case Comparison::kDifferent:
      return a != b;
    case Comparison::kLess:
      return a < b;
    case Comparison::kLessEqual:
      return a <= b;
    case Comparison::kGreater:
      return a > b;
    case Comparison::kGreaterEqual:
      return a >= b;
  }
  __builtin_unreachable();
}

}  // namespace

Operand compile(const Term& term, Symbols& symbols) {
  if (term.term == TermKind::kVariable) return {.variable = term.variable};
  if (term.term == TermKind::kConstant)
    return {.constant = term.kind == Kind::kSymbol ? symbols.intern(term.text, 0) : term.constant};
  std::vector<Operand> operands;
  for (const Term& of : term.arguments) operands.push_back(compile(of, symbols));
  return {.value = std::make_shared<const Call>(term, std::move(operands))};
}

bool holds(Comparison comparison, Kind kind, Word left, Word right, const Context& context) {
  switch (kind) {
    case Kind::kNumber:
      return compare(comparison, signed_of(left), signed_of(right));
    case Kind::kUnsigned:
      return compare(comparison, left, right);
    case Kind::kFloat:
      return compare(comparison, float_of(left), float_of(right));
    case Kind::kSymbol:
      break;
  }
  if (comparison == Comparison::kEqual || comparison == Comparison::kDifferent)
    return compare(comparison, left, right);
  return compare(comparison, context.symbols->text(left, context.core),
                 context.symbols->text(right, context.core));
}

bool holds(Test test, Word pattern, Word text, Position position, Context& context) {
  const std::string_view in = context.symbols->text(text, context.core);
  const std::string_view what = context.symbols->text(pattern, context.core);
  if (test == Test::kContains) return in.find(what) != std::string_view::npos;
  std::shared_ptr<const Pattern>& compiled = context.patterns[pattern];
  if (!compiled) compiled = std::make_shared<const Pattern>(std::string(what));
  if (!compiled->is_valid())
    throw sql::SyntaxError(context.program, position,
                           fmt::format("\"{}\" is no regular expression", what));
  return compiled->matches(in);
}

}  // namespace grappa::query::datalog
