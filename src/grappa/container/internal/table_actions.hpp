#pragma once

// What is done to the table of a container with keys (keyed_tables.hpp): action(table, key, hash).
// Those that hold a value list their members, since it may be one that is serialized.

#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>

namespace grappa::internal {

/// `R`: V, or void where nobody asks for the value.
template <class V, class Combine, class R = V>
struct UpsertAction {
  V value;
  [[no_unique_address]] Combine combine;
  static constexpr auto kMembers = std::tuple(&UpsertAction::value, &UpsertAction::combine);
  template <class Table, class Key>
  R operator()(Table& table, const Key& key, std::uint64_t hash) const {
    auto [stored, is_new] = table.insert(key, hash, value);
    if (!is_new) {
      if constexpr (std::is_void_v<std::invoke_result_t<const Combine&, V&, const V&>>) {
        combine(stored, value);
      } else {
        stored = combine(stored, value);
      }
    }
    if constexpr (!std::is_void_v<R>) return stored;
  }
};

template <class V, bool kOverwrite>
struct InsertAction {
  V value;
  static constexpr auto kMembers = std::tuple(&InsertAction::value);
  template <class Table, class Key>
  bool operator()(Table& table, const Key& key, std::uint64_t hash) const {
    auto [stored, is_new] = table.insert(key, hash, value);
    if constexpr (kOverwrite) stored = value;
    return is_new;
  }
};

template <class V>
struct FindAction {
  template <class Table, class Key>
  std::optional<V> operator()(Table& table, const Key& key, std::uint64_t hash) const {
    const V* found = table.find(key, hash);
    return found == nullptr ? std::nullopt : std::optional<V>(*found);
  }
};

struct ContainsAction {
  template <class Table, class Key>
  bool operator()(Table& table, const Key& key, std::uint64_t hash) const {
    return table.find(key, hash) != nullptr;
  }
};

struct EraseAction {
  template <class Table, class Key>
  bool operator()(Table& table, const Key& key, std::uint64_t hash) const {
    return table.erase(key, hash);
  }
};

template <class F>
struct VisitAction {
  [[no_unique_address]] F f;
  template <class Table, class Key>
  bool operator()(Table& table, const Key& key, std::uint64_t hash) const {
    auto* found = table.find(key, hash);
    if (found == nullptr) return false;
    F own(f);
    own(*found);
    return true;
  }
};

template <class V, class F>
struct VisitOrInsertAction {
  V first;
  [[no_unique_address]] F f;
  static constexpr auto kMembers = std::tuple(&VisitOrInsertAction::first, &VisitOrInsertAction::f);
  template <class Table, class Key>
  auto operator()(Table& table, const Key& key, std::uint64_t hash) const {
    F own(f);
    return own(table.insert(key, hash, first).first);
  }
};

}  // namespace grappa::internal
