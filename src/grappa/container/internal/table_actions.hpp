#pragma once

// What is done to the table of a container with keys (keyed_tables.hpp): action(table, key, hash).

#include <cstdint>
#include <optional>
#include <type_traits>

namespace grappa::internal {

template <class V, class Combine>
struct UpsertAction {
  V value;
  [[no_unique_address]] Combine combine;
  template <class Table, class Key>
  V operator()(Table& table, const Key& key, std::uint64_t hash) const {
    auto [stored, is_new] = table.insert(key, hash, value);
    if (is_new) return stored;
    if constexpr (std::is_void_v<std::invoke_result_t<const Combine&, V&, const V&>>) {
      combine(stored, value);
    } else {
      stored = combine(stored, value);
    }
    return stored;
  }
};

template <class V, bool kOverwrite>
struct InsertAction {
  V value;
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
  template <class Table, class Key>
  auto operator()(Table& table, const Key& key, std::uint64_t hash) const {
    F own(f);
    return own(table.insert(key, hash, first).first);
  }
};

}  // namespace grappa::internal
