#pragma once

// Memory for texts that stay where they are until all of them go.
//
//   TextArena arena;
//   TextRef copy = arena.keep(of_a_batch);
//   char* out = arena.reserve(100);               // where 60 bytes are written
//   TextRef made = arena.use(out, 60);
//
// For one core.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/query/memory_budget.hpp"
#include "grappa/query/text_ref.hpp"

namespace grappa::query {

class TextArena {
 public:
  TextArena() = default;
  /// Its blocks are charged there.
  explicit TextArena(MemoryBudget* budget) : charge_(budget) {}

  /// A text with the same bytes, which lie here if they do not lie in the TextRef.
  TextRef keep(const TextRef& text) {
    if (text.is_short()) return text;
    char* const to = reserve(text.size());
    std::memcpy(to, text.data(), text.size());
    next_ += text.size();
    return text.moved_to(to);
  }
  /// Room for so many bytes, until the next call.
  char* reserve(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(end_ - next_)) add_block(bytes);
    return next_;
  }
  /// The text that was written to the room.
  TextRef use(char* room, std::size_t bytes) {
    const TextRef text(std::string_view(room, bytes));
    if (!text.is_short()) next_ += bytes;
    return text;
  }
  /// Forgets all texts, and keeps some memory for the next.
  void clear() {
    if (blocks_.size() > 1) {
      blocks_.erase(blocks_.begin(), blocks_.end() - 1);
      sizes_.erase(sizes_.begin(), sizes_.end() - 1);
      charge_.clear();
      charge_.add(bytes_ = sizes_.back());
    }
    if (!blocks_.empty()) {
      next_ = blocks_.back().get();
      end_ = next_ + sizes_.back();
    }
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void add_block(std::size_t least) {
    constexpr std::size_t kLeast = std::size_t{16} << 10;
    constexpr std::size_t kMost = std::size_t{1} << 20;
    const std::size_t grown = sizes_.empty() ? kLeast : std::min(kMost, 2 * sizes_.back());
    const std::size_t size = std::max(least, grown);
    charge_.add(size);
    bytes_ += size;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    sizes_.push_back(size);
    next_ = blocks_.back().get();
    end_ = next_ + size;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<std::size_t> sizes_;
  std::size_t bytes_ = 0;  // in all blocks
  MemoryCharge charge_;
  char* next_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace grappa::query
