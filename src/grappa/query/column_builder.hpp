#pragma once

// ColumnBuilder: a column of a block, value by value.
//
//   ColumnBuilder names(kText, 1000);
//   names.append(TextRef(name));                    // its bytes are copied
//   names.append_null();
//   if (names.rows() == kBlockRows) use(names.finish());
//
// Texts go into a dictionary as long as they repeat, which is as long as one in four of some
// thousand is new at most. For one core.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "grappa/query/distinct_sketch.hpp"
#include "grappa/query/table.hpp"
#include "grappa/query/text_dictionary.hpp"
#include "grappa/query/type.hpp"

namespace grappa::query {

/// Finds out the range of a block, and adds its values to the sketch, if there is one.
void examine(ColumnBlock& block, std::size_t rows, DistinctSketch* sketch);

class ColumnBuilder {
 public:
  /// Memory is taken for so many rows at first.
  explicit ColumnBuilder(const Type& type, std::size_t expected_rows = 0,
                         DistinctCounting counting = DistinctCounting::kWanted);

  const Type& type() const { return type_; }
  /// Of the block that is being built; kBlockRows of them at most.
  std::size_t rows() const { return rows_; }

  /// T is the physical type.
  template <class T>
  void append(const T& value) {
    if constexpr (std::is_same_v<T, TextRef>) {
      if (is_coded_) return append_coded(value);
    }
    if (rows_ == capacity_) [[unlikely]]
      grow();
    if constexpr (std::is_same_v<T, TextRef>) {
      values<TextRef>()[rows_++] = kept(value);
    } else {
      values<T>()[rows_++] = value;
    }
  }
  void append_null();
  /// Many of them; no texts.
  template <class T>
  void append_all(const T* all, std::size_t count) {
    while (capacity_ - rows_ < count) grow();
    std::memcpy(values<T>() + rows_, all, count * sizeof(T));
    rows_ += count;
  }
  /// A text that may come again in the block: `code` is kNoCode at first, and then what the call
  /// before has made of it.
  void append_again(const TextRef& text, Position& code) {
    if (!is_coded_) return append(text);
    if (code == kNoCode) {
      append_coded(text);
      if (is_coded_) code = codes_[rows_ - 1];
      return;
    }
    if (rows_ == capacity_) [[unlikely]]
      grow();
    codes_[rows_++] = code;
  }
  static constexpr Position kNoCode = TextDictionary::kNoCode;

  /// What was appended; the next block begins.
  ColumnBlock finish();

  /// Of all that was finished, where that is wanted.
  const DistinctSketch& sketch() const { return sketch_; }

 private:
  static constexpr std::size_t kFewestRows = 1024;  // that memory is taken for
  static constexpr std::size_t kRowsToJudge = 4096;
  static constexpr std::size_t kNewOnes = 4;  // one in so many may be new

  template <class T>
  T* values() {
    return reinterpret_cast<T*>(values_.get());
  }
  TextRef kept(const TextRef& text) {
    if (text.is_short()) return text;
    const std::size_t size = text.size();
    if (size > arena_left_) [[unlikely]]
      add_arena(size);
    char* const to = arena_;
    std::memcpy(to, text.data(), size);
    arena_ += size;
    arena_left_ -= size;
    return text.moved_to(to);
  }
  void append_coded(const TextRef& text) {
    if (rows_ == capacity_) [[unlikely]]
      grow();
    const auto [code, is_new] =
        dictionary_.find_or_add(text, [this](const TextRef& fresh) { return kept(fresh); });
    codes_[rows_++] = code;
    if (is_new && rows_ >= kRowsToJudge && repeats_too_little()) stop_coding();
  }
  bool repeats_too_little() const { return dictionary_.size() * kNewOnes > rows_; }

  void begin_block();
  void grow();
  void add_arena(std::size_t least);
  /// Makes of codes the texts themselves.
  void stop_coding();
  Type type_;
  std::size_t value_bytes_;
  std::size_t expected_rows_;
  DistinctCounting counting_;
  std::size_t rows_ = 0;
  std::size_t capacity_ = 0;
  Bytes values_;                            // [capacity_], unless coded
  std::unique_ptr<std::uint64_t[]> valid_;  // from the first NULL on, of values
  // Texts.
  bool is_coded_ = false;
  std::unique_ptr<Position[]> codes_;  // [capacity_]
  TextDictionary dictionary_;
  char* arena_ = nullptr;
  std::size_t arena_left_ = 0;
  std::size_t arena_bytes_ = 0;
  std::vector<Bytes> texts_;

  DistinctSketch sketch_;
};

}  // namespace grappa::query
