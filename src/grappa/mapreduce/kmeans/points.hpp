#pragma once

// Points of a space of doubles, divided among all cores, in the order of their rows.
//
//   const Owned<Points> points = read_points({.paths = {"points.csv"}});
//   fmt::print("{} points of {} columns\n", points->size(), points->dimensions());
//
// A core has its points in blocks of kLanes, in each of which the first coordinates of all its
// points come first, then the second ones: so one instruction works on several points, whatever
// their dimension. The last block is filled up with copies of its last point.
//
// A handle, trivially copyable. read_points() and destroy() are called by one task and switch
// tasks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "grappa/container/replica.hpp"
#include "grappa/mapreduce/internal/bulk.hpp"
#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::mapreduce {

inline constexpr int kLanes = 8;

/// What one core has.
class PointBlocks {
 public:
  explicit PointBlocks(int dimensions = 0) : dimensions_(static_cast<std::size_t>(dimensions)) {}

  /// Appends a point; its coordinates are finite.
  void add(const double* coordinates);
  /// After the last one.
  void fill_up();

  std::int64_t size() const { return count_; }
  std::int64_t blocks() const { return (count_ + kLanes - 1) / kLanes; }
  /// [dimensions * kLanes]
  const double* block(std::int64_t i) const {
    return values_.data() + static_cast<std::size_t>(i) * dimensions_ * kLanes;
  }
  /// How many points of a block are no copies.
  int points_of(std::int64_t i) const {
    return static_cast<int>(std::min<std::int64_t>(kLanes, count_ - i * kLanes));
  }
  /// A block that there need not be.
  [[gnu::always_inline]] void prefetch(std::int64_t i) const {
    if (i >= blocks()) return;
    const double* const line = block(i);
    for (std::size_t d = 0; d < dimensions_; ++d) __builtin_prefetch(line + d * kLanes);
  }
  double coordinate(std::int64_t point, std::size_t dimension) const {
    return block(point / kLanes)[dimension * kLanes + static_cast<std::size_t>(point % kLanes)];
  }

 private:
  std::size_t dimensions_;
  std::int64_t count_ = 0;
  detail::Bulk<double> values_;
};

class Points {
 public:
  Points() = default;
  Points(const detail::CoreState<PointBlocks>& blocks, std::int64_t size, int dimensions)
      : blocks_(blocks), size_(size), dimensions_(dimensions) {}
  void destroy() { blocks_.destroy(); }

  /// Of all cores.
  std::int64_t size() const { return size_; }
  int dimensions() const { return dimensions_; }
  /// Of the calling core.
  const PointBlocks& mine() const { return blocks_.mine(); }

 private:
  detail::CoreState<PointBlocks> blocks_;
  std::int64_t size_ = 0;
  int dimensions_ = 0;
};

struct ReadPointsOptions {
  std::vector<std::string> paths;  // one below the other; "-": standard input
  /// csv, npy or bin; auto: as the name of the first says. csv is any text: a point a line, its
  /// coordinates between commas, semicolons, tabs or blanks; a first line without a number is a
  /// header, blank ones are left out. npy: a two-dimensional array of numbers. bin: doubles,
  /// `columns` a point, in the processor's order.
  std::string format = "auto";
  int columns = 0;                                     // of bin
  std::int64_t skip_bad_records = 0;                   // lines of text
  std::int64_t* skipped = nullptr;                     // how many were
  std::function<void(double fraction)> progress = {};  // of text, as that of DatasetOptions
};

/// options.format, or what it is by the name.
std::string points_format(const ReadPointsOptions& options);

/// InputError, with the line, for what is no number, no finite one, or a line with another number
/// of columns than the first; and for files that are not as their format wants them.
Owned<Points> read_points(const ReadPointsOptions& options);

/// [size * dimensions], row by row, at the calling task.
std::vector<double> collect(const Points& points);

/// `size` points, divided evenly: point(row, to) writes the coordinates of one.
template <class F>
Owned<Points> make_points(std::int64_t size, int dimensions, F point) {
  const auto blocks = detail::CoreState<PointBlocks>::create();
  on_all_cores([blocks, size, dimensions, point] {
    const auto [begin, end] = grappa::internal::slice_of(0, size, this_core(), core_count(), 1);
    PointBlocks mine(dimensions);
    std::vector<double> coordinates(static_cast<std::size_t>(dimensions));
    for (std::int64_t row = begin; row < end; ++row) {
      point(row, coordinates.data());
      mine.add(coordinates.data());
    }
    mine.fill_up();
    blocks.mine() = std::move(mine);
  });
  return Points(blocks, size, dimensions);
}

}  // namespace grappa::mapreduce
