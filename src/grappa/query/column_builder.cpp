#include "grappa/query/column_builder.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <utility>

namespace grappa::query {
namespace {

constexpr std::size_t kFirstArena = std::size_t{1} << 10;
constexpr std::size_t kLargestArena = std::size_t{1} << 20;

Bytes bytes_for(std::size_t rows, std::size_t value_bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(rows, 1) * value_bytes);
}

std::unique_ptr<std::uint64_t[]> all_valid(std::size_t rows) {
  const std::size_t words = words_for_bits(rows);
  auto valid = std::make_unique_for_overwrite<std::uint64_t[]>(words);
  std::fill_n(valid.get(), words, ~std::uint64_t{0});
  return valid;
}

template <class T>
std::uint64_t hash_of_value(const T& value) {
  if constexpr (std::is_same_v<T, TextRef>) {
    return hash_of(value);
  } else if constexpr (std::is_same_v<T, Interval>) {
    return hash_of_value(value.length());
  } else if constexpr (std::is_same_v<T, Int128>) {
    return hash_number(static_cast<std::uint64_t>(value) ^
                       hash_number(static_cast<std::uint64_t>(value >> 64)));
  } else if constexpr (std::is_same_v<T, double>) {
    return hash_number(std::bit_cast<std::uint64_t>(value));
  } else if constexpr (std::is_same_v<T, float>) {
    return hash_number(std::bit_cast<std::uint32_t>(value));
  } else {
    return hash_number(static_cast<std::uint64_t>(value));
  }
}

template <class T>
void examine_values(ColumnBlock& block, std::size_t rows, DistinctSketch* all) {
  const T* const values = reinterpret_cast<const T*>(block.values.get());
  const std::size_t count = block.codes != nullptr ? block.dictionary_size : rows;
  const auto for_each_valid = [&](const auto& f) {
    if (block.valid == nullptr) {
      for (std::size_t i = 0; i < count; ++i) f(values[i]);
    } else {
      for (std::size_t i = 0; i < count; ++i)
        if (bit_at(block.valid.get(), i)) f(values[i]);
    }
  };
  if (all != nullptr) {
    DistinctSketch sketch;  // not where the values could be, for the compiler
    for_each_valid([&](const T& value) { sketch.add(hash_of_value(value)); });
    all->merge(sketch);
  }
  if constexpr (std::signed_integral<T> || std::is_same_v<T, Int128>) {
    if (!block.type.is_counted()) return;
    std::size_t first = 0;
    while (first < count && block.valid != nullptr && !bit_at(block.valid.get(), first)) ++first;
    if (first == count) return;
    T least = values[first];
    T greatest = least;
    for_each_valid([&](const T& value) {
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    });
    block.range = Range{least, greatest};
  }
}

}  // namespace

void examine(ColumnBlock& block, std::size_t rows, DistinctSketch* sketch) {
  with_physical(block.type.physical(), [&]<class T>() { examine_values<T>(block, rows, sketch); });
}

ColumnBuilder::ColumnBuilder(const Type& type, std::size_t expected_rows, DistinctCounting counting)
    : type_(type),
      value_bytes_(size_of(type.physical())),
      expected_rows_(std::clamp(expected_rows, kFewestRows, kBlockRows)),
      counting_(counting) {
  begin_block();
}

void ColumnBuilder::begin_block() {
  rows_ = 0;
  capacity_ = 0;
  is_coded_ = type_.is_text();
  dictionary_.clear();
  arena_left_ = 0;
  arena_bytes_ = 0;
  texts_.clear();
}

void ColumnBuilder::append_null() {
  if (rows_ == capacity_) grow();
  if (is_coded_) {
    codes_[rows_++] = dictionary_.code_of_null();
    return;
  }
  if (valid_ == nullptr) valid_ = all_valid(kBlockRows);
  std::memset(values_.get() + rows_ * value_bytes_, 0, value_bytes_);
  clear_bit(valid_.get(), rows_++);
}

void ColumnBuilder::grow() {
  const std::size_t capacity =
      capacity_ == 0 ? expected_rows_ : std::min(2 * capacity_, kBlockRows);
  if (is_coded_) {
    auto codes = std::make_unique_for_overwrite<Position[]>(capacity);
    std::copy_n(codes_.get(), rows_, codes.get());
    codes_ = std::move(codes);
  } else {
    Bytes values = bytes_for(capacity, value_bytes_);
    if (rows_ > 0) std::memcpy(values.get(), values_.get(), rows_ * value_bytes_);
    values_ = std::move(values);
  }
  capacity_ = capacity;
}

void ColumnBuilder::add_arena(std::size_t least) {
  arena_bytes_ = std::clamp(2 * arena_bytes_, kFirstArena, kLargestArena);
  arena_left_ = std::max(least, arena_bytes_);
  texts_.push_back(std::make_unique_for_overwrite<std::byte[]>(arena_left_));
  arena_ = reinterpret_cast<char*>(texts_.back().get());
}

void ColumnBuilder::stop_coding() {
  is_coded_ = false;
  values_ = bytes_for(capacity_, value_bytes_);
  const std::vector<TextRef>& entries = dictionary_.entries();
  for (std::size_t row = 0; row < rows_; ++row) values<TextRef>()[row] = entries[codes_[row]];
  if (dictionary_.has_null()) {
    const Position null = dictionary_.code_of_null();
    valid_ = all_valid(kBlockRows);
    for (std::size_t row = 0; row < rows_; ++row) {
      if (codes_[row] == null) clear_bit(valid_.get(), row);
    }
  }
  codes_.reset();
  dictionary_.clear();
}

ColumnBlock ColumnBuilder::finish() {
  if (is_coded_ && repeats_too_little()) stop_coding();
  ColumnBlock block;
  block.type = type_;
  if (is_coded_) {
    const std::vector<TextRef>& entries = dictionary_.entries();
    block.dictionary_size = static_cast<std::uint32_t>(entries.size());
    block.dictionary_id = new_dictionary_id();
    block.values = bytes_for(entries.size(), value_bytes_);
    std::ranges::copy(entries, reinterpret_cast<TextRef*>(block.values.get()));
    block.codes = std::make_unique_for_overwrite<Position[]>(rows_);
    std::copy_n(codes_.get(), rows_, block.codes.get());
    if (dictionary_.has_null()) {
      block.valid = all_valid(entries.size());
      clear_bit(block.valid.get(), dictionary_.code_of_null());
    }
  } else if (rows_ > 0 && 2 * rows_ >= capacity_) {
    block.values = std::move(values_);
    block.valid = std::move(valid_);
  } else {
    block.values = bytes_for(rows_, value_bytes_);
    if (rows_ > 0) std::memcpy(block.values.get(), values_.get(), rows_ * value_bytes_);
    if (valid_ != nullptr) {
      block.valid = std::make_unique_for_overwrite<std::uint64_t[]>(words_for_bits(rows_));
      std::copy_n(valid_.get(), words_for_bits(rows_), block.valid.get());
    }
  }
  block.texts = std::move(texts_);
  examine(block, rows_, counting_ == DistinctCounting::kWanted ? &sketch_ : nullptr);
  values_.reset();
  valid_.reset();
  codes_.reset();
  begin_block();
  return block;
}

}  // namespace grappa::query
