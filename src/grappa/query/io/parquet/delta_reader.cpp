#include "grappa/query/io/parquet/delta_reader.hpp"

#include <algorithm>

#include "grappa/query/io/parquet/bit_reader.hpp"

namespace grappa::query::parquet {
namespace {

[[noreturn]] void refuse_deltas() {
  throw Damage("a page has fewer differences of values than it says");
}

}  // namespace

DeltaReader::DeltaReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {
  const std::uint64_t block = varint();
  miniblocks_ = varint();
  count_ = varint();
  const std::uint64_t first = varint();
  value_ = first >> 1 ^ -(first & 1);
  constexpr std::uint64_t kMostValues = std::uint64_t{1} << 32;
  if (miniblocks_ == 0 || block == 0 || block > kMostValues || block % miniblocks_ != 0 ||
      block / miniblocks_ % 8 != 0)
    throw Damage("a page has differences of values in blocks of no length that there is");
  miniblock_values_ = block / miniblocks_;
  miniblock_ = miniblocks_;
}

std::uint64_t DeltaReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ == end_) refuse_deltas();
    const auto byte = static_cast<unsigned char>(*at_++);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return value;
  }
  refuse_deltas();
}

void DeltaReader::next_block() {
  const std::uint64_t least = varint();
  least_delta_ = least >> 1 ^ -(least & 1);
  if (static_cast<std::uint64_t>(end_ - at_) < miniblocks_) refuse_deltas();
  widths_ = at_;
  at_ += miniblocks_;
  miniblock_ = 0;
}

void DeltaReader::next_miniblock() {
  if (miniblock_ == miniblocks_) next_block();
  width_ = static_cast<unsigned char>(widths_[miniblock_++]);
  constexpr int kMostBits = 64;
  if (width_ > kMostBits) throw Damage("a page has differences of more than 64 bits");
  left_ = miniblock_values_;
  // What is behind the last value may be cut off.
  const std::uint64_t needed = std::min(left_, count_ - given_);
  const auto width = static_cast<std::uint64_t>(width_);
  const auto bytes_left = static_cast<std::uint64_t>(end_ - at_);
  if ((needed * width + 7) / 8 > bytes_left) refuse_deltas();
  packed_ = at_;
  bit_ = 0;
  at_ += std::min(left_ * width / 8, bytes_left);
}

template <class T>
void DeltaReader::read(T* out, std::size_t count) {
  if (count > count_ - given_) refuse_deltas();
  while (count > 0) {
    if (is_first_) {
      is_first_ = false;
      *out++ = static_cast<T>(value_);
      --count;
      ++given_;
      continue;
    }
    if (left_ == 0) next_miniblock();
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
    const auto width = static_cast<std::size_t>(width_);
    std::uint64_t value = value_;
    for (std::size_t i = 0; i < n; ++i) {
      value += least_delta_ + bits_at(packed_, bit_ + i * width, width_);
      out[i] = static_cast<T>(value);
    }
    value_ = value;
    bit_ += n * width;
    out += n;
    count -= n;
    left_ -= n;
    given_ += n;
  }
}

template void DeltaReader::read(std::int32_t* out, std::size_t count);
template void DeltaReader::read(std::int64_t* out, std::size_t count);

std::string_view DeltaReader::rest() {
  if (given_ != count_) throw Damage("a page has more differences than values");
  return {at_, end_};
}

}  // namespace grappa::query::parquet
