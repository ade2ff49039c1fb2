#include "grappa/query/expression/cast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "grappa/query/date_time.hpp"
#include "grappa/query/expression/kernels.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::query {
namespace {

// Integers of 8 bits are numbers here, not characters.
// NOLINTBEGIN(bugprone-signed-char-misuse)

/// What a value becomes; false if nothing.
template <class From, class To>
struct Conversion {
  Type from;
  Type to;
  Int128 factor = 1;   // of exact numbers that get more digits behind the point
  Int128 divisor = 1;  // or fewer
  Int128 least = 0;    // of what the type holds
  Int128 greatest = 0;

  Conversion(const Type& of, const Type& into) : from(of), to(into) {
    if (to.is_exact() || to.id == TypeId::kBoolean) {
      if (to.scale > from.scale) factor = power_of_ten(to.scale - from.scale);
      if (to.scale < from.scale) divisor = power_of_ten(from.scale - to.scale);
      if (to.id == TypeId::kDecimal) {
        greatest = power_of_ten(to.precision) - 1;
        least = -greatest;
      } else if constexpr (std::is_integral_v<To>) {
        least = std::numeric_limits<To>::min();
        greatest = std::numeric_limits<To>::max();
      }
    }
  }

  bool operator()(const From& value, To& out, TextArena& texts) const {
    if constexpr (std::is_same_v<To, TextRef>) {
      if constexpr (std::is_same_v<From, TextRef>) {
        out = value;
      } else {
        thread_local std::string text;
        text.clear();
        append_text(text, value, from);
        out = texts.keep(TextRef(text));
      }
      return true;
    } else if constexpr (std::is_same_v<From, TextRef>) {
      return parse(value.view(), to, out);
    } else if constexpr (std::is_same_v<From, Interval> || std::is_same_v<To, Interval>) {
      if constexpr (std::is_same_v<From, To>) out = value;
      return std::is_same_v<From, To>;
    } else if (to.id == TypeId::kBoolean) {
      out = static_cast<To>(value != 0 ? 1 : 0);
      return true;
    } else if constexpr (std::is_floating_point_v<To>) {
      out = static_cast<To>(as_real(value));
      return true;
    } else if constexpr (std::is_floating_point_v<From>) {
      const double scaled =
          std::nearbyint(static_cast<double>(value) * static_cast<double>(factor));
      // 2^127 is a double, the greatest integer of 128 bits is not.
      if (!(scaled >= static_cast<double>(least) && scaled < static_cast<double>(greatest) + 1) ||
          std::abs(scaled) >= 0x1p127)
        return false;
      const auto whole = static_cast<Int128>(scaled);
      if (whole < least || whole > greatest) return false;
      out = static_cast<To>(whole);
      return true;
    } else {
      return convert_counted(value, out);
    }
  }

 private:
  template <class T>
  double as_real(T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      return value;
    } else {
      const auto whole = static_cast<double>(value);
      return from.scale == 0 ? whole : whole / static_cast<double>(power_of_ten(from.scale));
    }
  }

  template <class T>
  bool convert_counted(T value, To& out) const {
    if (from.id == TypeId::kDate && to.id == TypeId::kTimestamp) {
      const std::int64_t days = static_cast<std::int32_t>(value);
      const std::int64_t midnight = days * kMicrosecondsPerDay;
      out = static_cast<To>(midnight);
      return true;
    }
    if (from.id == TypeId::kTimestamp && to.id != TypeId::kTimestamp) {
      const auto moment = static_cast<std::int64_t>(value);
      const DayAndTime at = day_and_time(moment);
      out = static_cast<To>(to.id == TypeId::kDate ? at.day : at.time);
      return true;
    }
    if (!to.is_exact()) {
      out = static_cast<To>(value);
      return true;
    }
    Int128 whole = value;
    if (factor != 1 && __builtin_mul_overflow(whole, factor, &whole)) return false;
    if (divisor != 1) {
      const Int128 half = divisor / 2;
      whole = (whole >= 0 ? whole + half : whole - half) / divisor;
    }
    if (whole < least || whole > greatest) return false;
    out = static_cast<To>(whole);
    return true;
  }
};

// NOLINTEND(bugprone-signed-char-misuse)

template <class T>
[[noreturn]] void throw_no_value(const KernelCall& call, const T& value) {
  const Type& from = call.arguments[0].type;
  std::string text;
  append_text(text, value, from);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw QueryError(fmt::format("'{}' is no {}", text, name_of(call.expression->type)));
}

template <class From, class To>
void cast_kernel(const KernelCall& call) {
  const Conversion<From, To> convert(call.arguments[0].type, call.expression->type);
  const From* const values = call.arguments[0].data<From>();
  const bool is_constant = call.arguments[0].is_constant;
  auto* const out = static_cast<To*>(call.values);
  call.for_each([&](std::size_t row) {
    const From& value = values[is_constant ? 0 : row];
    if (convert(value, out[row], *call.texts)) return;
    if (!call.expression->tolerant) throw_no_value(call, value);
    out[row] = To{};
    clear_bit(call.valid, row);
  });
}

/// Integers that become wider, with the same digits behind the point: a loop without conditions.
template <class From, class To>
void widen_kernel(const KernelCall& call) {
  unary<From, To>(call, [](From value) { return static_cast<To>(value); });
}

bool holds_all(const Type& from, const Type& to) {
  if (to.is_integer() && from.is_integer()) return to.id >= from.id;
  if (to.id == TypeId::kDecimal && from.is_exact())
    return to.precision - to.scale >= digits_of(from) - from.scale && to.scale >= from.scale;
  return false;
}

template <class From, class To>
Kernel choose_kernel(const Type& from, const Type& to) {
  // Nothing else is an interval (can_cast).
  constexpr bool kIsInterval = std::is_same_v<From, Interval> != std::is_same_v<To, Interval>;
  if constexpr (kIsInterval && !std::is_same_v<From, TextRef> && !std::is_same_v<To, TextRef>)
    return nullptr;
  constexpr bool kExactFrom = std::is_integral_v<From> || std::is_same_v<From, Int128>;
  constexpr bool kExactTo = std::is_integral_v<To> || std::is_same_v<To, Int128>;
  if constexpr (kExactFrom && kExactTo && sizeof(To) >= sizeof(From)) {
    if (from.is_exact() && to.is_exact() && from.scale == to.scale && holds_all(from, to))
      return widen_kernel<From, To>;
  }
  return cast_kernel<From, To>;
}

bool is_moment(TypeId id) { return id == TypeId::kDate || id == TypeId::kTimestamp; }

// ---- IN

/// The constants in order.
template <class T>
struct Choices {
  std::vector<T> values;
  std::vector<std::string> texts;
  bool has_null = false;
};

template <class T>
std::shared_ptr<void> prepare_choices(const Expression& expression) {
  auto made = std::make_shared<Choices<T>>();
  made->texts.reserve(expression.arguments.size());
  for (std::size_t i = 1; i < expression.arguments.size(); ++i) {
    const Value& value = expression.arguments[i]->value;
    if (value.is_null()) {
      made->has_null = true;
    } else if constexpr (std::is_same_v<T, TextRef>) {
      made->values.emplace_back(made->texts.emplace_back(value.text()));
    } else {
      made->values.push_back(value.stored<T>());
    }
  }
  std::ranges::sort(made->values, [](const T& a, const T& b) { return a < b; });
  return made;
}

template <class T>
void in_kernel(const KernelCall& call) {
  const auto& choices = *static_cast<const Choices<T>*>(call.state);
  const T* const values = call.arguments[0].data<T>();
  const bool is_constant = call.arguments[0].is_constant;
  auto* const out = static_cast<std::uint8_t*>(call.values);
  constexpr std::size_t kFew = 8;
  const bool few = choices.values.size() <= kFew;
  call.for_each([&](std::size_t row) {
    const T& value = values[is_constant ? 0 : row];
    bool found = false;
    if (few) {
      for (const T& choice : choices.values) found |= choice == value;
    } else {
      found = std::binary_search(choices.values.begin(), choices.values.end(), value,
                                 [](const T& a, const T& b) { return a < b; });
    }
    out[row] = found ? 1 : 0;
    if (!found && choices.has_null) clear_bit(call.valid, row);
  });
}

}  // namespace

bool is_renaming(const Type& from, const Type& to) {
  return from.is_exact() && to.is_exact() && from.scale == to.scale &&
         from.physical() == to.physical() && holds_all(from, to);
}

bool can_cast(const Type& from, const Type& to) {
  if (from == to || from.id == TypeId::kNull || from.is_text() || to.is_text()) return true;
  const auto is_number = [](const Type& type) {
    return type.is_numeric() || type.id == TypeId::kBoolean;
  };
  if (is_number(from) && is_number(to)) return true;
  if (is_moment(from.id) && is_moment(to.id)) return true;
  return from.id == TypeId::kTimestamp && to.id == TypeId::kTime;
}

Function cast_function(const Type& from, const Type& to, bool tolerant) {
  Function made{.name = "cast", .parameters = {from}, .result = to};
  made.can_fail =
      !tolerant && !to.is_text() && !holds_all(from, to) && !(from.is_numeric() && to.is_real()) &&
      !(from.is_exact() && to.id == TypeId::kBoolean) && !(is_moment(from.id) && is_moment(to.id));
  made.makes_nulls = tolerant;
  made.kernel = with_physical(from.physical(), [&]<class From>() {
    return with_physical(to.physical(),
                         [&]<class To>() { return choose_kernel<From, To>(from, to); });
  });
  return made;
}

Function in_function(const Expression& expression) {
  const Type& type = expression.arguments[0]->type;
  Function made{.name = "in", .parameters = {type}, .result = kBoolean, .makes_nulls = true};
  with_physical(type.physical(), [&]<class T>() {
    made.kernel = in_kernel<T>;
    made.prepare = prepare_choices<T>;
  });
  return made;
}

}  // namespace grappa::query
