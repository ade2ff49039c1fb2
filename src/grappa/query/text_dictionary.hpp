#pragma once

// TextDictionary: different texts, numbered in the order in which they come.
//
//   TextDictionary dictionary;
//   const auto [code, is_new] = dictionary.find_or_add(TextRef("RAIL"), keep);
//   dictionary.entries()[code] == TextRef("RAIL");
//
// NULL has a number, too, and the entry at it is no text. For one core; up to 65,535 entries.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grappa/container/key_traits.hpp"
#include "grappa/query/text_ref.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

/// All 64 bits of it are used.
inline std::uint64_t hash_of(const TextRef& text) {
  if (text.is_short()) return hash_number(text.head() ^ hash_number(text.tail()));
  return hash_bytes(text.data(), text.size());
}

class TextDictionary {
 public:
  /// The number of no text.
  static constexpr Position kNoCode = 0xffff;

  TextDictionary() { clear(); }

  std::size_t size() const { return entries_.size(); }
  const std::vector<TextRef>& entries() const { return entries_; }

  struct Found {
    Position code;
    bool is_new;
  };
  /// A text that is new is entered as keep(text).
  template <class Keep>
  Found find_or_add(const TextRef& text, const Keep& keep) {
    const std::uint64_t hash = hash_of(text);
    std::size_t at = hash & (slots_.size() - 1);
    const auto tag = static_cast<std::uint16_t>(hash >> 48);
    for (; slots_[at].code != kNoCode; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].tag == tag && entries_[slots_[at].code] == text)
        return {slots_[at].code, false};
    }
    const auto code = static_cast<Position>(entries_.size());
    slots_[at] = {tag, code};
    entries_.push_back(keep(text));
    hashes_.push_back(hash);
    if (2 * entries_.size() > slots_.size()) grow();
    return {code, true};
  }
  Position code_of_null() {
    if (null_code_ == kNoCode) {
      null_code_ = static_cast<Position>(entries_.size());
      entries_.emplace_back();
      hashes_.push_back(0);
    }
    return null_code_;
  }
  bool has_null() const { return null_code_ != kNoCode; }

  void clear() {
    entries_.clear();
    hashes_.clear();
    null_code_ = kNoCode;
    slots_.assign(kFewestSlots, Slot{});
  }

 private:
  static constexpr std::size_t kFewestSlots = 64;
  struct Slot {
    std::uint16_t tag = 0;  // bits of the hash that do not say where the slot is
    Position code = kNoCode;
  };

  void grow() {
    slots_.assign(2 * slots_.size(), Slot{});
    for (std::size_t code = 0; code < hashes_.size(); ++code) {
      if (code == null_code_) continue;
      std::size_t at = hashes_[code] & (slots_.size() - 1);
      while (slots_[at].code != kNoCode) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {static_cast<std::uint16_t>(hashes_[code] >> 48), static_cast<Position>(code)};
    }
  }

  std::vector<TextRef> entries_;
  std::vector<std::uint64_t> hashes_;  // of the entries
  Position null_code_ = kNoCode;
  std::vector<Slot> slots_;  // a power of two of them, half of them free
};

}  // namespace grappa::query
