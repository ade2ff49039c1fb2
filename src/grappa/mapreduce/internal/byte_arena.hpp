#pragma once

// Bytes that stay where they are, until all of them go.
//
//   ByteArena arena;
//   std::string_view word = arena.keep("a word of a line that will be gone");
//
// For one core.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "grappa/memory/locale_memory.hpp"

namespace grappa::mapreduce::detail {

class ByteArena {
 public:
  std::string_view keep(std::string_view bytes) {
    if (bytes.size() > left_) [[unlikely]]
      add_block(bytes.size());
    char* const to = next_;
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    next_ += bytes.size();
    left_ -= bytes.size();
    return {to, bytes.size()};
  }

 private:
  void add_block(std::size_t least) {
    constexpr std::size_t kBlock = std::size_t{256} << 10;
    const std::size_t size = std::max(least, kBlock);
    grappa::internal::require_memory(size, "the texts of a Dataset");
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = blocks_.back().get();
    left_ = size;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace grappa::mapreduce::detail
