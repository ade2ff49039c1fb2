#pragma once

// What a type needs to be a key of GlobalHashMap: a hash, and a form in which it travels.
//
// Ready made: integers, enumerations, structs whose bytes are their meaning (no padding, no
// floating point), pairs, tuples, vectors and arrays of keys, classes that list their members
// (base/serialize.hpp) when these are keys, ShortString, std::string, and types with a std::hash.
// For others, specialize KeyHash:
//   template <>
//   struct grappa::KeyHash<Point> {
//     std::uint64_t operator()(const Point& p) const { return grappa::hash_bytes(&p, sizeof p); }
//   };
//
// Keys that are equal must hash alike in every process of a run: no pointers. All 64 bits are used:
// the high ones choose the core, the low ones the place in its table.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/base/serialize.hpp"
#include "grappa/container/short_string.hpp"
#include "grappa/tasking/closure.hpp"

namespace grappa {

/// Spreads a number over all 64 bits, one to one: the output function of SplitMix64 (G. Steele,
/// D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014).
constexpr std::uint64_t hash_number(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

namespace internal {
template <class Word>
std::uint64_t load(const std::byte* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}
}  // namespace internal

/// A hash of any bytes; not made to withstand keys that are chosen to collide.
inline std::uint64_t hash_bytes(const void* data, std::size_t bytes) {
  __extension__ using Wide = unsigned __int128;
  const auto* at = static_cast<const std::byte*>(data);
  const std::byte* const end = at + bytes;
  std::uint64_t hash = hash_number(bytes);
  const auto absorb = [&hash](std::uint64_t word) {
    const Wide product = Wide{hash ^ word} * 0xD6E8FEB86659FD93u;
    hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  // The tail is read together with some of the bytes before it: no loop over single bytes.
  if (bytes >= 8) {
    for (; end - at >= 8; at += 8) absorb(internal::load<std::uint64_t>(at));
    if (at != end) absorb(internal::load<std::uint64_t>(end - 8));
  } else if (bytes >= 4) {
    absorb(internal::load<std::uint32_t>(at) | internal::load<std::uint32_t>(end - 4) << 32);
  } else if (bytes > 0) {
    absorb(internal::load<std::uint8_t>(at) | internal::load<std::uint8_t>(at + bytes / 2) << 8 |
           internal::load<std::uint8_t>(end - 1) << 16);
  }
  return hash_number(hash);
}

/// The hash of a key, 64 bits, the same in every process.
template <class K>
struct KeyHash {
  std::uint64_t operator()(const K& key) const {
    const auto combined = [](const auto&... parts) {
      std::uint64_t hash = 0;
      ((hash = hash_number(hash ^ KeyHash<std::remove_cvref_t<decltype(parts)>>{}(parts))), ...);
      return hash;
    };
    if constexpr (std::is_integral_v<K> || std::is_enum_v<K>) {
      return hash_number(static_cast<std::uint64_t>(key));
    } else if constexpr (std::has_unique_object_representations_v<K>) {
      return hash_bytes(&key, sizeof key);
    } else if constexpr (internal::Listed<K>) {
      return std::apply([&](auto... members) { return combined(key.*members...); }, kMembersOf<K>);
    } else if constexpr (internal::kIsOf<K, std::tuple>) {
      return std::apply(combined, key);
    } else if constexpr (internal::kIsOf<K, std::vector> || internal::kIsArray<K>) {
      std::uint64_t hash = key.size();
      for (const auto& element : key) hash = combined(hash, element);
      return hash;
    } else {
      static_assert(
          requires { std::hash<K>{}(key); },
          "grappa: this type has no hash that is the same everywhere (it has padding, or a member "
          "such as a double): specialize grappa::KeyHash for it.");
      return hash_number(std::hash<K>{}(key));
    }
  }
};

template <>
struct KeyHash<std::string_view> {
  std::uint64_t operator()(std::string_view text) const {
    return hash_bytes(text.data(), text.size());
  }
};

template <>
struct KeyHash<std::string> : KeyHash<std::string_view> {};

template <std::size_t N>
struct KeyHash<ShortString<N>> {
  std::uint64_t operator()(const ShortString<N>& text) const {
    // A short string is hashed whole, unused characters too: no loop of unpredictable length.
    return hash_bytes(text.view().data(), N <= 32 ? N : text.size()) + text.size();
  }
};

template <class A, class B>
struct KeyHash<std::pair<A, B>> {
  std::uint64_t operator()(const std::pair<A, B>& key) const {
    return hash_number(KeyHash<A>{}(key.first) ^ hash_number(KeyHash<B>{}(key.second)));
  }
};

namespace internal {

/// How keys are given, sent and stored.
template <class K>
struct KeyTraits {
  using Argument = const K&;  // in calls, and in the tables
  template <class F>
  static auto with_message_form(const K& key, F f) {
    return f(key);
  }
  /// Throws UsageError for a key that could not be sent: it is none at its home, either.
  static void require_allowed(const K&) {}
};

[[noreturn]] void throw_key_too_long(std::size_t size, std::size_t most);

/// Strings travel in the smallest of a few sizes, so that short ones are aggregated like numbers.
template <>
struct KeyTraits<std::string> {
  using Argument = std::string_view;
  static constexpr std::size_t kMax = 2046;

  static void require_allowed(std::string_view key) {
    if (key.size() > kMax) [[unlikely]]
      throw_key_too_long(key.size(), kMax);
  }

  template <class F>
  static auto with_message_form(std::string_view key, F f) {
    if (key.size() <= 23) return f(ShortString<23>(key));
    return with_longer_form(key, f);
  }

 private:
  // Apart, so that short keys do not pay for a stack frame that holds long ones.
  template <class F>
  [[gnu::noinline]] static auto with_longer_form(std::string_view key, F& f) {
    if (key.size() <= 55) return f(ShortString<55>(key));
    if (key.size() <= 247) return f(ShortString<247>(key));
    require_allowed(key);
    return f(ShortString<kMax>(key));
  }
};

}  // namespace internal
}  // namespace grappa
