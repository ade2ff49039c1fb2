#pragma once

// What benchmarks put into messages to see that they arrive whole: words that follow from the
// length, the first of which is a stamp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bench/measure.hpp"

namespace grappa::bench {

/// `bytes` is a multiple of 8.
inline std::vector<std::byte> make_pattern(std::int64_t bytes) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  for (std::size_t at = 0; at < buffer.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = mix(static_cast<std::uint64_t>(bytes) + at);
    std::memcpy(buffer.data() + at, &word, sizeof word);
  }
  return buffer;
}

inline std::uint64_t stamp_of(const std::byte* message) {
  std::uint64_t stamp = 0;
  std::memcpy(&stamp, message, sizeof stamp);
  return stamp;
}

inline void set_stamp(std::byte* message, std::uint64_t stamp) {
  std::memcpy(message, &stamp, sizeof stamp);
}

/// Whether `message` is a stamp followed by the pattern of its length.
inline bool is_pattern(const std::byte* message, std::int64_t bytes) {
  std::vector<std::byte> pattern = make_pattern(bytes);
  set_stamp(pattern.data(), stamp_of(message));
  return std::equal(pattern.begin(), pattern.end(), message);
}

/// The sum of the stamps 0 … count-1.
inline std::uint64_t sum_of_stamps(std::int64_t count) {
  const auto n = static_cast<std::uint64_t>(count);
  return n * (n - 1) / 2;
}

}  // namespace grappa::bench
