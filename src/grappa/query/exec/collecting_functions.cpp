#include "grappa/query/exec/collecting_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "grappa/query/exec/collected_bytes.hpp"
#include "grappa/query/exec/make_aggregate.hpp"
#include "grappa/query/exec/ordered_bytes.hpp"
#include "grappa/query/expression/function.hpp"

namespace grappa::query {
namespace {

// ---- bytes of entries

template <class T>
void append_raw(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void append_sized(std::string& to, std::string_view bytes) {
  append_raw(to, static_cast<std::uint32_t>(bytes.size()));
  to += bytes;
}
template <class T>
void append_entry(std::string& to, const T& value) {
  if constexpr (std::is_same_v<T, TextRef>)
    append_sized(to, value.view());
  else
    append_raw(to, value);
}

template <class T>
T take_raw(std::string_view& from) {
  T value;
  std::memcpy(&value, from.data(), sizeof value);
  from.remove_prefix(sizeof value);
  return value;
}
std::string_view take_sized(std::string_view& from) {
  const auto size = take_raw<std::uint32_t>(from);
  const std::string_view bytes = from.substr(0, size);
  from.remove_prefix(size);
  return bytes;
}
/// A text refers to the bytes.
template <class T>
T take_entry(std::string_view& from) {
  if constexpr (std::is_same_v<T, TextRef>)
    return TextRef(take_sized(from));
  else
    return take_raw<T>(from);
}
template <class T>
std::vector<T> entries_in(const CollectedBytes& collected) {
  std::vector<T> values;
  for (std::string_view rest = collected.view(); !rest.empty();)
    values.push_back(take_entry<T>(rest));
  return values;
}

/// Values of the keys from an argument on, as bytes that are in their order.
void append_keys(std::string& to, const AggregateCall& call, std::size_t first, std::size_t row) {
  for (std::size_t i = first; i + 1 < call.arguments.size(); i += 2) {
    const std::int32_t flags = call.arguments[i + 1].at<std::int32_t>(row);
    append_ordered(to, call.arguments[i], row, (flags & kDescending) != 0,
                   (flags & kNullsFirst) != 0);
  }
}

/// What states of collected values do when they meet.
struct MergeCollected {
  template <class State>
  void operator()(State& to, const State& from, TextArena& texts) const {
    to.collected.append(from.collected.view(), texts);
  }
};

// ---- string_agg

struct Joined {
  CollectedBytes collected;
};

struct AddJoined {
  void operator()(const AggregateCall& call) const {
    std::string entry;
    std::string key;
    for_each_state<Joined>(call, [&](Joined& state, std::size_t row) {
      const Vector& values = call.arguments[0];
      const Vector& separators = call.arguments[1];
      if (!values.is_valid(row)) return;
      key.clear();
      append_keys(key, call, 2, row);
      entry.clear();
      append_sized(entry, key);
      append_sized(entry, values.at<TextRef>(row).view());
      append_sized(entry, separators.is_valid(row) ? separators.at<TextRef>(row).view() : "");
      state.collected.append(entry, *call.texts);
    });
  }
};

struct JoinResult {
  bool operator()(const Joined& state, TextRef& out, TextArena& texts) const {
    std::vector<std::array<std::string_view, 3>> entries;  // key, text, separator
    std::size_t bytes = 0;
    for (std::string_view rest = state.collected.view(); !rest.empty();) {
      std::array<std::string_view, 3> entry;
      for (std::string_view& part : entry) part = take_sized(rest);
      entries.push_back(entry);
      bytes += entry[1].size() + entry[2].size();
    }
    if (entries.empty()) return false;
    if (bytes > std::numeric_limits<std::uint32_t>::max())
      throw QueryError("a text of string_agg has over 4 GiB");
    std::ranges::sort(entries);
    char* const room = texts.reserve(bytes);
    char* end = room;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) end = std::ranges::copy(entries[i][2], end).out;
      end = std::ranges::copy(entries[i][1], end).out;
    }
    out = texts.use(room, static_cast<std::size_t>(end - room));
    return true;
  }
};

AggregateFunction string_agg() {
  AggregateFunction made = make<Joined, TextRef>("string_agg", {kText, kText}, kText, AddJoined{},
                                                 MergeCollected{}, JoinResult{});
  made.text_at = 0;
  return made;
}

// ---- quantiles

/// Values, and at which part of them the result lies: 0 is the least, 1 the greatest.
struct Quantile {
  CollectedBytes collected;
  double fraction = 0.5;
};

template <class T>
struct AddToQuantile {
  void operator()(const AggregateCall& call) const {
    std::string entry;
    for_each_state<Quantile>(call, [&](Quantile& state, std::size_t row) {
      if (call.arguments.size() > 1) {
        const Vector& fractions = call.arguments[1];
        state.fraction = fractions.is_valid(row) ? fractions.at<double>(row) : -1;
        if (!(state.fraction >= 0 && state.fraction <= 1))
          throw QueryError("the fraction of a quantile lies between 0 and 1");
      }
      if (!call.arguments[0].is_valid(row)) return;
      entry.clear();
      append_entry(entry, call.arguments[0].at<T>(row));
      state.collected.append(entry, *call.texts);
    });
  }
};

struct MergeQuantiles {
  void operator()(Quantile& to, const Quantile& from, TextArena& texts) const {
    // One that has met no row does not know it.
    if (to.collected.empty()) to.fraction = from.fraction;
    MergeCollected{}(to, from, texts);
  }
};

template <class T>
bool is_less(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) return a < b || (std::isnan(b) && !std::isnan(a));
  return a < b;
}
template <class T>
const T& nth_of(std::vector<T>& values, std::size_t n) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(n);
  std::ranges::nth_element(values, at, is_less<T>);
  return *at;
}

/// Between the two values that are nearest.
struct InterpolatedResult {
  bool operator()(const Quantile& state, double& out) const {
    std::vector<double> values = entries_in<double>(state.collected);
    if (values.empty()) return false;
    const double place = state.fraction * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    out = nth_of(values, below);
    if (part > 0) {
      const double above = *std::ranges::min_element(
          values.begin() + static_cast<std::ptrdiff_t>(below) + 1, values.end(), is_less<double>);
      out += (above - out) * part;
    }
    return true;
  }
};

/// The first value that at least this part of them is not above.
template <class T>
struct DiscreteResult {
  bool operator()(const Quantile& state, T& out) const {
    std::vector<T> values = entries_in<T>(state.collected);
    if (values.empty()) return false;
    const double place = std::ceil(state.fraction * static_cast<double>(values.size()));
    out = nth_of(values, static_cast<std::size_t>(std::max(place, 1.0)) - 1);
    return true;
  }
};

/// The most frequent one; the least of several.
template <class T>
struct ModeResult {
  bool operator()(const Quantile& state, T& out) const {
    std::vector<T> values = entries_in<T>(state.collected);
    std::ranges::sort(values, is_less<T>);
    std::size_t most = 0;
    for (std::size_t i = 0; i < values.size();) {
      const std::size_t begin = i;
      while (i < values.size() && !is_less(values[begin], values[i])) ++i;
      if (i - begin > most) out = values[begin];
      most = std::max(most, i - begin);
    }
    return most > 0;
  }
};

/// Their states are quantiles' ones.
template <class T, class Result>
AggregateFunction quantile(std::string_view name, std::vector<Type> parameters, Result result) {
  const Type type = parameters[0];
  AggregateFunction made = make<Quantile, T>(name, std::move(parameters), type, AddToQuantile<T>{},
                                             MergeQuantiles{}, result);
  made.text_at = 0;
  return made;
}

// ---- the first of an order

struct First {
  CollectedBytes collected;  // the key, whether there is a value, and the value
};

std::string_view key_of(std::string_view entry) { return take_sized(entry); }

void keep_earlier(CollectedBytes& first, std::string_view entry, TextArena& texts) {
  if (first.empty() || key_of(entry) < key_of(first.view())) first.assign(entry, texts);
}

/// `kNeedsBoth`: rows without a value, or without a key, are left out.
template <class T, bool kNeedsBoth>
struct AddFirst {
  void operator()(const AggregateCall& call) const {
    std::string entry;
    std::string key;
    for_each_state<First>(call, [&](First& state, std::size_t row) {
      const Vector& values = call.arguments[0];
      const bool has_value = values.is_valid(row);
      if (kNeedsBoth && !(has_value && call.arguments[1].is_valid(row))) return;
      key.clear();
      append_keys(key, call, 1, row);
      append_ordered(key, values, row);  // of rows that are equal by the keys, the least value
      if (!state.collected.empty() && key >= key_of(state.collected.view())) return;
      entry.clear();
      append_sized(entry, key);
      entry += has_value ? '\1' : '\0';
      if (has_value) append_entry(entry, values.at<T>(row));
      state.collected.assign(entry, *call.texts);
    });
  }
};

struct MergeFirst {
  void operator()(First& to, const First& from, TextArena& texts) const {
    if (!from.collected.empty()) keep_earlier(to.collected, from.collected.view(), texts);
  }
};

template <class T>
struct FirstResult {
  bool operator()(const First& state, T& out) const {
    std::string_view rest = state.collected.view();
    if (rest.empty()) return false;
    take_sized(rest);
    if (take_raw<char>(rest) == '\0') return false;
    out = take_entry<T>(rest);
    return true;
  }
};

template <class T, bool kNeedsBoth>
AggregateFunction first_of(std::string_view name, const Type& type) {
  AggregateFunction made =
      make<First, T>(name, {type}, type, AddFirst<T, kNeedsBoth>{}, MergeFirst{}, FirstResult<T>{});
  made.text_at = 0;
  return made;
}

constexpr std::array<std::string_view, 8> kCollecting{"string_agg",    "median",  "quantile_cont",
                                                      "quantile_disc", "mode",    "arg_min",
                                                      "arg_max",       "first_by"};

void require_arguments(std::string_view name, const Expressions& arguments, std::size_t count) {
  if (arguments.size() != count)
    throw UsageError(fmt::format("{} takes {} argument{}, not {}", name, count,
                                 count == 1 ? "" : "s", arguments.size()));
}

}  // namespace

std::vector<std::string_view> collecting_names() {
  return {kCollecting.begin(), kCollecting.end()};
}

std::optional<AggregateFunction> find_collecting(std::string_view name,
                                                 const Expressions& arguments) {
  if (std::ranges::find(kCollecting, name) == kCollecting.end()) return std::nullopt;
  const bool has_order = name == "string_agg" || name == "first_by" || name.starts_with("arg_");
  const std::size_t own = name == "string_agg" || name.starts_with("quantile") ? 2 : 1;
  if (!has_order) require_arguments(name, arguments, own);
  const Type type = arguments[0]->type;
  AggregateFunction made;
  if (name == "string_agg") {
    made = string_agg();
  } else if (name == "median" || name == "quantile_cont") {
    if (!type.is_numeric() && type.id != TypeId::kNull)
      throw UsageError(fmt::format("there is no {} of {}", name, name_of(type)));
    made = quantile<double>(name, {kDouble}, InterpolatedResult{});
  } else {
    made = with_physical(type.physical(), [&]<class T>() {
      if (name == "quantile_disc") return quantile<T>(name, {type}, DiscreteResult<T>{});
      if (name == "mode") return quantile<T>(name, {type}, ModeResult<T>{});
      return name == "first_by" ? first_of<T, false>(name, type) : first_of<T, true>(name, type);
    });
  }
  if (name.starts_with("quantile")) made.parameters.push_back(kDouble);
  // An order: keys and their flags.
  for (std::size_t i = made.parameters.size(); i < arguments.size(); ++i)
    made.parameters.push_back((i - own) % 2 == 0 ? arguments[i]->type : kInt32);
  return made;
}

}  // namespace grappa::query
