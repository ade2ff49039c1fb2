#pragma once

// Where consecutive elements lie: those of an array, or those from an address of global memory on.
//
//   const auto range = ElementRange<double>::of(array, 5'000, 1'000, "read_span", where);
//   range.for_each_piece([](const auto& piece) { use(piece.core, piece.at, piece.count); });
//
// Elements go round the cores in runs: one run a core in a Block array, runs of one in a Cyclic
// one, blocks of the heap. What a core has of a range is one piece of its memory, however many runs
// it has, and so travels as one; PieceOrder tells where its elements stand in the range. Elements
// of a Permuted array are in no pieces.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "grappa/container/global_array.hpp"
#include "grappa/memory/global_address.hpp"

namespace grappa::internal {

/// Throws UsageError for a negative number of elements, and for some at a null address.
void require_elements(bool null, std::int64_t count, const char* what, const CallSite& where);

/// Which elements of a range the elements of a piece are.
struct PieceOrder {
  std::int64_t start;     // of the first run, in the range; negative when that begins before it
  std::int64_t position;  // of the first element, in its run
  std::int64_t run;       // elements in a run
  std::int64_t cycle;     // from one run to the next, in the range

  /// use(n, k, count) for elements [first, first + total) of the piece: `count` of them, from the
  /// n-th of these on, are those from the k-th of the range on.
  template <class Use>
  void for_each_run(std::int64_t first, std::int64_t total, const Use& use) const {
    std::int64_t at = (position + first) % run;
    std::int64_t k = start + (position + first) / run * cycle;
    for (std::int64_t n = 0; n < total; k += cycle) {
      const std::int64_t count = std::min(total - n, run - at);
      use(n, k + at, count);
      n += count;
      at = 0;
    }
  }
};

/// What one core has of a range.
struct Piece {
  int core;
  LocalReference at;  // of its first element
  std::int64_t count;
  PieceOrder order;

  bool is_one_run() const { return order.position + count <= order.run; }
};

template <class T>
class ElementRange {
 public:
  using Place = typename GlobalAddress<T>::Place;

  /// UsageError unless there are `count` elements.
  static ElementRange of(const GlobalArray<T>& array, std::int64_t first, std::int64_t count,
                         const char* what, const CallSite& where) {
    require_elements(false, count, what, where);
    array.require_live(what, &where);
    if (count > 0) {
      array.require_index(first, &where);
      if (count > array.size() - first) array.require_index(array.size(), &where);
    }
    ElementRange range;
    range.array_ = array;
    range.first_ = first;
    range.count_ = count;
    range.stride_ = sizeof(T);
    if (array.distribution() == Distribution::kPermuted) return range;
    range.cores_ = here().locale.core_count();
    range.run_ = array.distribution() == Distribution::kBlock ? array.block() : 1;
    return range;
  }

  static ElementRange of(GlobalAddress<T> first, std::int64_t count, const char* what,
                         const CallSite& where) {
    require_elements(!first, count, what, where);
    ElementRange range;
    range.base_ = first;
    range.count_ = count;
    range.stride_ = static_cast<std::int64_t>(first.stride());
    range.run_ = std::max<std::int64_t>(1, count);
    if (!first.is_linear() || count == 0) return range;
    if constexpr (kChecksEveryAccess)
      require_allocated(first.raw(), (first + (count - 1)).raw(), GlobalAddress<T>::kShift);
    const int shift = std::max(GlobalAddress<T>::kShift, here().locale.memory->block_shift());
    range.cores_ = here().locale.core_count();
    range.run_ = static_cast<std::int64_t>(std::uint64_t{1} << shift) / range.stride_;
    range.first_ = static_cast<std::int64_t>(first.raw()) / range.stride_;
    return range;
  }

  std::int64_t size() const { return count_; }
  /// Bytes from one element to the next, at their home.
  std::int64_t stride() const { return stride_; }
  bool is_in_pieces() const { return run_ != 0; }

  GlobalAddress<T> address(std::int64_t k) const {
    return base_ ? base_ + k : GlobalAddress<T>(array_[first_ + k]);
  }

  /// Not of elements that are in no pieces.
  template <class Use>
  void for_each_piece(const Use& use) const {
    if (count_ == 0) return;
    const std::int64_t last_run = (first_ + count_ - 1) / run_;
    const std::int64_t end = std::min(last_run, first_ / run_ + cores_ - 1);
    for (std::int64_t r = first_ / run_; r <= end; ++r) {
      const std::int64_t begin = std::max(first_, r * run_);
      const std::int64_t runs = (last_run - r) / cores_ + 1;
      const bool ends = (last_run - r) % cores_ == 0;  // the last run of all is this core's
      const std::int64_t position = begin - r * run_;
      const std::int64_t left_out = ends ? (last_run + 1) * run_ - (first_ + count_) : 0;
      const Place place = address(begin - first_).place();
      use(Piece{place.core,
                place.local,
                runs * run_ - position - left_out,
                {r * run_ - first_, position, run_, run_ * cores_}});
    }
  }

  /// The elements themselves where they are here, side by side; otherwise nullptr.
  T* in_place() const {
    if (!is_in_pieces() || count_ == 0 || stride_ != sizeof(T)) return nullptr;
    T* found = nullptr;
    for_each_piece([&](const Piece& piece) {
      if (piece.core == here().id && piece.count == count_ && (cores_ == 1 || piece.is_one_run()))
        found = reinterpret_cast<T*>(piece.at.resolve(here()));
    });
    return found;
  }

 private:
  GlobalArray<T> array_;
  GlobalAddress<T> base_;  // null: elements of the array
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  std::int64_t stride_ = 1;
  std::int64_t run_ = 0;  // 0: in no pieces
  std::int64_t cores_ = 1;
};

}  // namespace grappa::internal
