#include "grappa/query/exec/aggregate_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>

#include "grappa/base/error.hpp"
#include "grappa/query/exec/collecting_functions.hpp"
#include "grappa/query/exec/covariance_functions.hpp"
#include "grappa/query/exec/make_aggregate.hpp"
#include "grappa/query/expression/function.hpp"

namespace grappa::query {
namespace {

// ---- count

AggregateFunction count_rows() {
  return make<std::int64_t, std::int64_t>(
      "count", {}, kInt64,
      [](const AggregateCall& call) {
        if (call.is_one_group) {
          if (call.batch->count > 0)
            *reinterpret_cast<std::int64_t*>(call.groups[0] + call.offset) +=
                static_cast<std::int64_t>(call.batch->count);
          return;
        }
        for (std::size_t i = 0; i < call.batch->count; ++i)
          ++*reinterpret_cast<std::int64_t*>(call.groups[i] + call.offset);
      },
      [](std::int64_t& to, std::int64_t from, TextArena&) { to += from; },
      [](std::int64_t state, std::int64_t& out) {
        out = state;
        return true;
      });
}

AggregateFunction count_values(const Type& type) {
  return make<std::int64_t, std::int64_t>(
      "count", {type}, kInt64,
      [](const AggregateCall& call) {
        const Vector& values = call.arguments[0];
        for_each_state<std::int64_t>(call, [&values](std::int64_t& count, std::size_t row) {
          count += values.is_valid(row) ? 1 : 0;
        });
      },
      [](std::int64_t& to, std::int64_t from, TextArena&) { to += from; },
      [](std::int64_t state, std::int64_t& out) {
        out = state;
        return true;
      });
}

// ---- sums

template <class T>
struct Sum {
  T sum = 0;
  std::int64_t count = 0;
};

[[noreturn]] void throw_sum(std::string_view most) {
  throw QueryError(fmt::format("a sum is out of range: it is beyond {}", most));
}

/// Infinity is a sum of infinity only.
template <class Wide>
void add_checked(Wide& to, Wide value) {
  if constexpr (std::is_floating_point_v<Wide>) {
    const Wide sum = to + value;
    if (std::isinf(sum) && std::isfinite(to) && std::isfinite(value)) throw_sum("a double");
    to = sum;
  } else if (__builtin_add_overflow(to, value, &to)) {
    throw_sum("38 digits");
  }
}

template <class T, class Wide>
struct AddToSum {
  void operator()(const AggregateCall& call) const {
    for_each_value<Sum<Wide>, T>(call, [](Sum<Wide>& state, T value) {
      if constexpr (std::is_same_v<Wide, std::int64_t>) {
        state.sum += static_cast<Wide>(value);  // 64 bits are chosen where they are enough
      } else {
        add_checked<Wide>(state.sum, static_cast<Wide>(value));
      }
      ++state.count;
    });
  }
};

template <class Wide>
struct MergeSums {
  void operator()(Sum<Wide>& to, const Sum<Wide>& from, TextArena&) const {
    if constexpr (std::is_same_v<Wide, std::int64_t>) {
      to.sum += from.sum;
    } else {
      add_checked<Wide>(to.sum, from.sum);
    }
    to.count += from.count;
  }
};

template <class Wide, class Out>
struct SumResult {
  bool operator()(const Sum<Wide>& state, Out& out) const {
    if constexpr (!std::is_floating_point_v<Wide> && sizeof(Out) < sizeof(Wide)) {
      if (state.sum > std::numeric_limits<Out>::max() ||
          state.sum < std::numeric_limits<Out>::min())
        throw_sum("64 bits");
    }
    out = static_cast<Out>(state.sum);
    return state.count > 0;
  }
};

bool fits_64(const Expression& argument, std::int64_t most_rows) {
  if (!argument.range) return false;
  const Range& range = *argument.range;
  Int128 most;
  return !__builtin_mul_overflow(std::max(range.greatest, -range.least), Int128{most_rows},
                                 &most) &&
         most <= INT64_MAX;
}

template <class T, class Wide, class Out>
AggregateFunction sum_of(const Type& type, const Type& result) {
  return make<Sum<Wide>, Out>("sum", {type}, result, AddToSum<T, Wide>{}, MergeSums<Wide>{},
                              SumResult<Wide, Out>{});
}

AggregateFunction sum(const Expression& argument, std::int64_t most_rows) {
  const Type type = argument.type;
  if (type.is_real()) {
    return type.id == TypeId::kFloat ? sum_of<float, double, double>(type, kDouble)
                                     : sum_of<double, double, double>(type, kDouble);
  }
  // As PostgreSQL: integers of up to 32 bits sum to one of 64, those of 64 to a decimal.
  const bool narrow = fits_64(argument, most_rows);
  const Type result = type.is_integer() && type.id != TypeId::kInt64
                          ? kInt64
                          : Type::decimal(Type::kMostDigits, type.scale);
  return with_physical(type.physical(), [&]<class T>() -> AggregateFunction {
    if constexpr (std::is_integral_v<T>) {
      if (result == kInt64)
        return narrow ? sum_of<T, std::int64_t, std::int64_t>(type, result)
                      : sum_of<T, Int128, std::int64_t>(type, result);
      return narrow ? sum_of<T, std::int64_t, Int128>(type, result)
                    : sum_of<T, Int128, Int128>(type, result);
    } else if constexpr (std::is_same_v<T, Int128>) {
      return sum_of<Int128, Int128, Int128>(type, result);
    } else {
      throw UsageError(fmt::format("there is no sum of {}", name_of(type)));
    }
  });
}

template <class Wide>
struct AverageResult {
  bool operator()(const Sum<Wide>& state, double& out) const {
    out = state.count == 0 ? 0 : static_cast<double>(state.sum) / static_cast<double>(state.count);
    return state.count > 0;
  }
};

template <class T, class Wide>
AggregateFunction average_of(const Type& type) {
  return make<Sum<Wide>, double>("avg", {type}, kDouble, AddToSum<T, Wide>{}, MergeSums<Wide>{},
                                 AverageResult<Wide>{});
}

/// Of integers and reals.
AggregateFunction average(const Expression& argument, std::int64_t most_rows) {
  const Type type = argument.type;
  const bool narrow = fits_64(argument, most_rows);
  return with_physical(type.physical(), [&]<class T>() -> AggregateFunction {
    if constexpr (std::is_floating_point_v<T>) {
      return average_of<T, double>(type);
    } else if constexpr (std::is_integral_v<T>) {
      return narrow ? average_of<T, std::int64_t>(type) : average_of<T, Int128>(type);
    } else if constexpr (std::is_same_v<T, Int128>) {
      return average_of<T, Int128>(type);
    } else {
      throw UsageError(fmt::format("there is no avg of {}", name_of(type)));
    }
  });
}

// ---- least, greatest, first

template <class T>
struct Chosen {
  T value{};
  bool has_value = false;
};

template <class T>
void choose(Chosen<T>& state, const T& value, TextArena& texts, bool copy) {
  if constexpr (std::is_same_v<T, TextRef>) {
    state.value = copy ? texts.keep(value) : value;
  } else {
    state.value = value;
  }
  state.has_value = true;
}

/// Whether a replaces b.
enum class Choice : std::uint8_t { kLeast, kGreatest, kAny };
template <Choice kChoice, class T>
bool replaces(const T& a, const T& b) {
  if constexpr (kChoice == Choice::kAny) {
    return false;
  } else if constexpr (std::is_floating_point_v<T>) {
    // NaN is the greatest.
    if constexpr (kChoice == Choice::kLeast) return a < b || (std::isnan(b) && !std::isnan(a));
    return a > b || (std::isnan(a) && !std::isnan(b));
  } else {
    return kChoice == Choice::kLeast ? a < b : b < a;
  }
}

/// Of the only group, from integers none of which is NULL: a loop of nothing else.
template <Choice kChoice, class T>
void choose_of_all(const AggregateCall& call) {
  const Vector& values = call.arguments[0];
  auto& state = *reinterpret_cast<Chosen<T>*>(call.groups[0] + call.offset);
  with_places(*call.batch, values, [&, data = values.data<T>()](auto place_of) {
    T best = state.has_value ? state.value : data[place_of(0)];
    for (std::size_t i = 0; i < call.batch->count; ++i) {
      const T value = data[place_of(i)];
      best = kChoice == Choice::kLeast ? std::min(best, value) : std::max(best, value);
    }
    state = {best, true};
  });
}

template <Choice kChoice, class T>
struct AddChosen {
  void operator()(const AggregateCall& call) const {
    if constexpr (std::is_integral_v<T> && kChoice != Choice::kAny) {
      if (call.is_one_group && call.arguments[0].valid == nullptr && call.batch->count > 0)
        return choose_of_all<kChoice, T>(call);
    }
    const bool copy = !call.arguments[0].texts_stay;
    for_each_value<Chosen<T>, T>(call, [&](Chosen<T>& state, const T& value) {
      if (!state.has_value || replaces<kChoice, T>(value, state.value))
        choose(state, value, *call.texts, copy);
    });
  }
};
template <Choice kChoice, class T>
struct MergeChosen {
  void operator()(Chosen<T>& to, const Chosen<T>& from, TextArena&) const {
    if (from.has_value && (!to.has_value || replaces<kChoice, T>(from.value, to.value))) to = from;
  }
};
template <class T>
struct ChosenResult {
  bool operator()(const Chosen<T>& state, T& out) const {
    out = state.value;
    return state.has_value;
  }
};

template <Choice kChoice>
AggregateFunction chosen(std::string_view name, const Type& type) {
  return with_physical(type.physical(), [&]<class T>() {
    AggregateFunction made = make<Chosen<T>, T>(name, {type}, type, AddChosen<kChoice, T>{},
                                                MergeChosen<kChoice, T>{}, ChosenResult<T>{});
    if constexpr (std::is_same_v<T, TextRef>) made.text_at = 0;
    return made;
  });
}

// ---- of bits

/// All values by one operator. Booleans are bits, too.
template <class T, class Operator>
AggregateFunction combined(std::string_view name, const Type& type) {
  using State = Chosen<T>;
  return make<State, T>(
      name, {type}, type,
      [](const AggregateCall& call) {
        for_each_value<State, T>(call, [](State& state, T value) {
          state.value = state.has_value ? static_cast<T>(Operator()(state.value, value)) : value;
          state.has_value = true;
        });
      },
      [](State& to, const State& from, TextArena&) {
        if (!from.has_value) return;
        to.value = to.has_value ? static_cast<T>(Operator()(to.value, from.value)) : from.value;
        to.has_value = true;
      },
      [](const State& state, T& out) {
        out = state.value;
        return state.has_value;
      });
}

template <class Operator>
AggregateFunction of_bits(std::string_view name, const Type& type) {
  if (!type.is_integer() && type.id != TypeId::kNull)
    throw UsageError(fmt::format("there is no {} of {}", name, name_of(type)));
  return type.id == TypeId::kInt64 ? combined<std::int64_t, Operator>(name, type)
                                   : combined<std::int32_t, Operator>(name, kInt32);
}

// ---- moments

/// B. Welford, Technometrics 4(3), 1962; merged as in T. Chan, G. Golub, R. LeVeque, 1979.
struct Moments {
  std::int64_t count = 0;
  double mean = 0;
  double squares = 0;  // of the distances from the mean

  void merge(const Moments& other) {
    if (other.count == 0) return;
    const double delta = other.mean - mean;
    const auto mine = static_cast<double>(count);
    const auto theirs = static_cast<double>(other.count);
    count += other.count;
    const auto all = static_cast<double>(count);
    mean += delta * theirs / all;
    squares += other.squares + delta * delta * mine * theirs / all;
  }
};

template <bool kSample, bool kRoot>
AggregateFunction moments(std::string_view name) {
  return make<Moments, double>(
      name, {kDouble}, kDouble,
      [](const AggregateCall& call) {
        for_each_value<Moments, double>(call, [](Moments& state, double value) {
          ++state.count;
          const double delta = value - state.mean;
          state.mean += delta / static_cast<double>(state.count);
          state.squares += delta * (value - state.mean);
        });
      },
      [](Moments& to, const Moments& from, TextArena&) { to.merge(from); },
      [](const Moments& state, double& out) {
        const std::int64_t divisor = state.count - (kSample ? 1 : 0);
        if (divisor <= 0) return false;
        out = state.squares / static_cast<double>(divisor);
        if constexpr (kRoot) out = std::sqrt(out);
        return true;
      });
}

constexpr std::array<std::string_view, 21> kNames{
    "count",  "sum",      "avg",     "min",      "max",     "any_value",   "first",
    "last",   "bool_and", "bool_or", "every",    "bit_and", "bit_or",      "bit_xor",
    "stddev", "variance", "mean",    "var_samp", "var_pop", "stddev_samp", "stddev_pop"};

}  // namespace

bool is_aggregate(std::string_view name) {
  const std::vector<std::string_view> names = aggregate_names();
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string_view> aggregate_names() {
  std::vector<std::string_view> names = collecting_names();
  for (const std::string_view name : covariance_names()) names.push_back(name);
  names.insert(names.end(), kNames.begin(), kNames.end());
  return names;
}

AggregateFunction find_aggregate(std::string_view name, const Expressions& arguments,
                                 std::int64_t most_rows) {
  if (name == "count" && arguments.empty()) return count_rows();
  if (std::optional<AggregateFunction> found = find_collecting(name, arguments)) return *found;
  if (std::optional<AggregateFunction> found = find_covariance(name, arguments)) return *found;
  if (arguments.size() != 1)
    throw UsageError(fmt::format("{} takes one argument, not {}", name, arguments.size()));
  const Expression& argument = *arguments[0];
  const Type& type = argument.type;
  if (name == "count") return count_values(type);
  if (name == "min") return chosen<Choice::kLeast>(name, type);
  if (name == "max") return chosen<Choice::kGreatest>(name, type);
  if (name == "any_value") return chosen<Choice::kAny>(name, type);
  if (name == "bool_and" || name == "every")
    return combined<std::uint8_t, std::bit_and<>>(name, kBoolean);
  if (name == "bool_or") return combined<std::uint8_t, std::bit_or<>>(name, kBoolean);
  if (name == "bit_and") return of_bits<std::bit_and<>>(name, type);
  if (name == "bit_or") return of_bits<std::bit_or<>>(name, type);
  if (name == "bit_xor") return of_bits<std::bit_xor<>>(name, type);
  if (!type.is_numeric() && type.id != TypeId::kNull)
    throw UsageError(fmt::format("there is no {} of {}", name, name_of(type)));
  if (name == "sum") return sum(argument, most_rows);
  if (name == "avg" || name == "mean") return average(argument, most_rows);
  if (name == "stddev" || name == "stddev_samp") return moments<true, true>(name);
  if (name == "variance" || name == "var_samp") return moments<true, false>(name);
  if (name == "stddev_pop") return moments<false, true>(name);
  return moments<false, false>(name);
}

}  // namespace grappa::query
