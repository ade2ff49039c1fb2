#include "grappa/query/io/parquet/run_reader.hpp"

#include <algorithm>
#include <cstring>

#include "grappa/query/io/parquet/bit_reader.hpp"

namespace grappa::query::parquet {

RunReader::RunReader(std::string_view bytes, int width)
    : at_(bytes.data()), end_(at_ + bytes.size()), width_(width) {
  constexpr int kMostBits = 32;
  if (width < 0 || width > kMostBits) throw Damage("values of more than 32 bits in runs");
}

void RunReader::next_run() {
  std::uint64_t header = 0;
  for (int shift = 0;; shift += 7) {
    if (at_ == end_ || shift > 63) throw Damage("a page has fewer values than it says");
    const auto byte = static_cast<unsigned char>(*at_++);
    header |= std::uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) break;
  }
  const auto bytes_left = static_cast<std::uint64_t>(end_ - at_);
  is_packed_ = (header & 1) != 0;
  if (is_packed_) {
    // Eight values in a group. Some writers cut off what the last group has too much.
    const std::uint64_t groups = header >> 1;
    const auto width = static_cast<std::uint64_t>(width_);
    const std::uint64_t most = width == 0 ? groups : bytes_left / width + 1;
    const std::uint64_t bytes = std::min(std::min(groups, most) * width, bytes_left);
    left_ = width == 0 ? groups * 8 : std::min(std::min(groups, most) * 8, bytes * 8 / width);
    packed_ = at_;
    bit_ = 0;
    at_ += bytes;
  } else {
    const std::size_t bytes = (static_cast<std::size_t>(width_) + 7) / 8;
    if (bytes > bytes_left) throw Damage("a page has fewer values than it says");
    value_ = 0;
    std::memcpy(&value_, at_, bytes);
    at_ += bytes;
    left_ = header >> 1;
  }
  if (left_ == 0) throw Damage("a page has a run without values");
}

void RunReader::read(std::uint32_t* out, std::size_t count) {
  while (count > 0) {
    if (left_ == 0) next_run();
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
    if (is_packed_) {
      const auto width = static_cast<std::size_t>(width_);
      for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<std::uint32_t>(few_bits_at(packed_, bit_ + i * width, width_));
      bit_ += n * width;
    } else {
      std::fill_n(out, n, value_);
    }
    out += n;
    count -= n;
    left_ -= n;
  }
}

}  // namespace grappa::query::parquet
