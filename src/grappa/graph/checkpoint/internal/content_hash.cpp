#include "grappa/graph/checkpoint/internal/content_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace grappa::graph {
namespace {

constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kOther = 0xbf58476d1ce4e5b9;

std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  return std::rotl(state ^ (word * kFactor), 29) * kOther;
}

}  // namespace

void ContentHash::add_block(const std::byte* block) {
  std::array<std::uint64_t, kLanes> words;
  std::memcpy(words.data(), block, kBlock);
  for (std::size_t i = 0; i < kLanes; ++i) lanes_[i] = mix(lanes_[i], words[i]);
}

void ContentHash::add(std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  if (rest_bytes_ > 0) {
    const std::size_t n = std::min(kBlock - rest_bytes_, bytes.size());
    std::copy_n(bytes.begin(), n, rest_.begin() + static_cast<std::ptrdiff_t>(rest_bytes_));
    rest_bytes_ += n;
    bytes = bytes.subspan(n);
    if (rest_bytes_ < kBlock) return;
    add_block(rest_.data());
    rest_bytes_ = 0;
  }
  while (bytes.size() >= kBlock) {
    add_block(bytes.data());
    bytes = bytes.subspan(kBlock);
  }
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
  rest_bytes_ = bytes.size();
}

std::uint64_t ContentHash::value() const {
  ContentHash last = *this;
  std::fill(last.rest_.begin() + static_cast<std::ptrdiff_t>(rest_bytes_), last.rest_.end(),
            std::byte{0});
  last.add_block(last.rest_.data());
  std::uint64_t value = bytes_;
  for (const std::uint64_t lane : last.lanes_) value = mix(value, lane);
  return value;
}

}  // namespace grappa::graph
