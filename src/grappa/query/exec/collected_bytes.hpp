#pragma once

// Bytes that the state of an aggregate collects: it grows, and travels as a text does.
//
//   CollectedBytes collected;
//   collected.append(bytes, texts);
//   std::string_view all = collected.view();
//
// They lie in a TextArena, behind how many there are; the text has room for more. A copy of the
// text has the same room, so it may be appended to wherever it has come to; two that share their
// bytes may not both be.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "grappa/query/expression/function.hpp"
#include "grappa/query/text_arena.hpp"
#include "grappa/query/text_ref.hpp"

namespace grappa::query {

class CollectedBytes {
 public:
  std::string_view view() const {
    if (room_.size() == 0) return {};
    return {room_.data() + kHead, used()};
  }
  bool empty() const { return view().empty(); }
  /// Bytes that others have collected, for one.
  void append(std::string_view bytes, TextArena& texts) {
    const std::size_t before = view().size();
    if (kHead + before + bytes.size() > room_.size()) grow(before + bytes.size(), texts);
    char* const data = const_cast<char*>(room_.data());  // it is ours, in the arena
    if (!bytes.empty()) std::memcpy(data + kHead + before, bytes.data(), bytes.size());
    const std::uint64_t now = before + bytes.size();
    std::memcpy(data, &now, sizeof now);
  }
  void assign(std::string_view bytes, TextArena& texts) {
    if (room_.size() > 0) {
      constexpr std::uint64_t kNone = 0;
      std::memcpy(const_cast<char*>(room_.data()), &kNone, sizeof kNone);
    }
    append(bytes, texts);
  }

 private:
  static constexpr std::size_t kHead = sizeof(std::uint64_t);

  std::size_t used() const {
    std::uint64_t bytes;
    std::memcpy(&bytes, room_.data(), sizeof bytes);
    return bytes;
  }
  void grow(std::size_t bytes, TextArena& texts) {
    constexpr std::size_t kLeast = 32;
    constexpr std::size_t kMost = UINT32_MAX;  // of a text
    if (kHead + bytes > kMost)
      throw QueryError("the values that one group collects have over 4 GiB");
    const std::size_t size = std::min(kMost, std::max(kLeast, kHead + 2 * bytes));
    const std::string_view old = view();
    char* const data = texts.reserve(size);
    const std::uint64_t kept = old.size();
    std::memcpy(data, &kept, sizeof kept);
    if (!old.empty()) std::memcpy(data + kHead, old.data(), old.size());
    std::memset(data + kHead + kept, 0, size - kHead - kept);
    room_ = texts.use(data, size);
  }

  TextRef room_;
};

}  // namespace grappa::query
