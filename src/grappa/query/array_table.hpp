#pragma once

// A table of arrays that are distributed over the cores.
//
//   const Owned<GlobalArray<std::int32_t>> ages = GlobalArray<std::int32_t>::create(1000);
//   const Table people = table_of_arrays(team, {{"age", *ages}});
//
// The rows are not copied: the blocks of each locale refer to the elements that it has. Where
// elements of one array are larger than those of another, the locales' parts of the two end a few
// cache lines apart, and the rows between are fetched. The arrays, and what is in them, stay as
// long as the table.

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "grappa/container/global_array.hpp"
#include "grappa/query/exec/team.hpp"
#include "grappa/query/table.hpp"
#include "grappa/query/text_ref.hpp"
#include "grappa/query/type.hpp"

namespace grappa::query {

/// f<T>(), where arrays of a column have elements T: as with_physical(), but bool for booleans.
template <class F>
decltype(auto) with_element(Physical physical, F&& f) {
  return with_physical(physical, [&]<class T>() -> decltype(auto) {
    return f.template operator()<std::conditional_t<std::is_same_v<T, std::uint8_t>, bool, T>>();
  });
}

/// The type of a column of T, where nothing else is said.
template <class T>
constexpr Type type_of_element() {
  if constexpr (std::is_same_v<T, bool>) return kBoolean;
  if constexpr (std::is_same_v<T, std::int8_t>) return {TypeId::kInt8};
  if constexpr (std::is_same_v<T, std::int16_t>) return {TypeId::kInt16};
  if constexpr (std::is_same_v<T, std::int32_t>) return kInt32;
  if constexpr (std::is_same_v<T, std::int64_t>) return kInt64;
  if constexpr (std::is_same_v<T, Int128>) return Type::decimal(Type::kMostDigits, 0);
  if constexpr (std::is_same_v<T, float>) return {TypeId::kFloat};
  if constexpr (std::is_same_v<T, double>) return kDouble;
  if constexpr (std::is_same_v<T, Interval>) return {TypeId::kInterval};
  if constexpr (std::is_same_v<T, TextRef>) return kText;
}

/// A handle of an array of any type that values have in memory.
struct ColumnArray {
  std::variant<GlobalArray<bool>, GlobalArray<std::int8_t>, GlobalArray<std::int16_t>,
               GlobalArray<std::int32_t>, GlobalArray<std::int64_t>, GlobalArray<Int128>,
               GlobalArray<float>, GlobalArray<double>, GlobalArray<Interval>, GlobalArray<TextRef>>
      array;

  void destroy() {
    std::visit([](auto& of) { of.destroy(); }, array);
  }
};

/// Texts are at the locale of their element: long ones lie in memory of its process.
struct ArrayColumn {
  ArrayColumn() = default;
  template <class T>
  ArrayColumn(std::string of, const GlobalArray<T>& array)
      : ArrayColumn(std::move(of), array, type_of_element<T>()) {}
  template <class T>
  ArrayColumn(std::string of, const GlobalArray<T>& array, const Type& as,
              const std::optional<GlobalArray<bool>>& not_null = {})
      : name(std::move(of)), type(as), values{array}, valid(not_null) {}

  std::string name;
  Type type;  // with these values in memory: a date or a time, too
  ColumnArray values;
  std::optional<GlobalArray<bool>> valid;  // false for a NULL; nothing: there is none
  static constexpr auto kMembers =
      std::tuple(&ArrayColumn::name, &ArrayColumn::type, &ArrayColumn::values, &ArrayColumn::valid);
};

/// UsageError unless the arrays are live, of one size and distribution, and of their types.
void require_one_table(const std::vector<ArrayColumn>& columns);

/// By the leaders of all locales, with the same columns.
Table table_of_arrays(const Team& team, const std::vector<ArrayColumn>& columns);

}  // namespace grappa::query
