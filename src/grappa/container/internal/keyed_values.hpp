#pragma once

// Keys and values that leave their core: as the result of a delegate.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "grappa/delegate/reply.hpp"

namespace grappa {

namespace internal {

/// A list of pairs whose keys may be strings.
template <class K, class V>
struct KeyedValues {
  std::vector<std::pair<K, V>> pairs;
};

}  // namespace internal

template <class K, class V>
struct Serializer<internal::KeyedValues<K, V>> {
  using List = internal::KeyedValues<K, V>;
  static constexpr bool kPlain = kIsSendable<K>;

  static std::size_t bytes(const List& list) {
    std::size_t sum = 8;
    for (const auto& [key, value] : list.pairs) sum += sizeof(V) + key_bytes(key);
    return sum;
  }
  static void write(const List& list, std::byte* to) {
    put(to, static_cast<std::uint64_t>(list.pairs.size()));
    for (const auto& [key, value] : list.pairs) {
      put(to, value);
      if constexpr (kPlain) {
        put(to, key);
      } else {
        put(to, static_cast<std::uint64_t>(key.size()));
        if (!key.empty()) std::memcpy(to, key.data(), key.size());
        to += key.size();
      }
    }
  }
  static List read(const std::byte* from, std::size_t) {
    List list;
    list.pairs.resize(get<std::uint64_t>(from));
    for (auto& [key, value] : list.pairs) {
      value = get<V>(from);
      if constexpr (kPlain) {
        key = get<K>(from);
      } else {
        key.resize(get<std::uint64_t>(from));
        if (!key.empty()) std::memcpy(key.data(), from, key.size());
        from += key.size();
      }
    }
    return list;
  }

 private:
  static std::size_t key_bytes(const K& key) {
    if constexpr (kPlain) {
      return sizeof key;
    } else {
      return 8 + key.size();
    }
  }
  template <class X>
  static void put(std::byte*& to, const X& x) {
    std::memcpy(to, static_cast<const void*>(&x), sizeof x);
    to += sizeof x;
  }
  template <class X>
  static X get(const std::byte*& from) {
    X x{};
    std::memcpy(static_cast<void*>(&x), from, sizeof x);
    from += sizeof x;
    return x;
  }
};

}  // namespace grappa
