#include "grappa/mapreduce/kmeans/internal/sums.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace grappa::mapreduce::detail {
namespace {

using Square = std::array<Lanes, kLanes>;

/// Changes the halves of two rows, in pieces of `step`.
template <int step, int... i>
void swap_pieces(Lanes& a, Lanes& b, std::integer_sequence<int, i...>) {
  const Lanes low = __builtin_shufflevector(a, b, ((i & step) != 0 ? kLanes + i - step : i)...);
  const Lanes high = __builtin_shufflevector(a, b, ((i & step) != 0 ? kLanes + i : i + step)...);
  a = low;
  b = high;
}

template <int step>
void swap_pieces(Square& rows) {
  for (int i = 0; i < kLanes; ++i) {
    if ((i & step) != 0) continue;
    swap_pieces<step>(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(i) + step],
                      std::make_integer_sequence<int, kLanes>());
  }
}

/// Rows become columns: a coordinate of each point becomes the coordinates of a point.
void transpose(Square& rows) {
  static_assert(kLanes == 8);
  swap_pieces<1>(rows);
  swap_pieces<2>(rows);
  swap_pieces<4>(rows);
}

void store(double* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }

}  // namespace

Sums::Sums(int k, int of_dimensions)
    : dimensions(of_dimensions),
      width(static_cast<std::size_t>((of_dimensions + kLanes - 1) / kLanes * kLanes)),
      values(static_cast<std::size_t>(k) * width),
      sizes(static_cast<std::size_t>(k)) {}

void Sums::add(const double* block, int points, const Nearest& near) {
  for (std::int64_t d = 0; d < dimensions; d += kLanes) {
    Square square{};
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(kLanes, dimensions - d));
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (i < count) square[i] = load(block + (static_cast<std::size_t>(d) + i) * kLanes);
    }
    transpose(square);
    for (int lane = 0; lane < points; ++lane) {
      double* const to = values.data() + static_cast<std::size_t>(near.label[lane]) * width + d;
      store(to, load(to) + square[static_cast<std::size_t>(lane)]);
    }
  }
  for (int lane = 0; lane < points; ++lane) ++sizes[static_cast<std::size_t>(near.label[lane])];
  if (points == kLanes) {
    store(inertia.data(), load(inertia.data()) + near.distance);
  } else {
    for (int lane = 0; lane < points; ++lane)
      inertia[static_cast<std::size_t>(lane)] += near.distance[lane];
  }
}

void Sums::add(const Sums& more) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += more.values[i];
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += more.sizes[i];
  for (std::size_t i = 0; i < inertia.size(); ++i) inertia[i] += more.inertia[i];
}

double Sums::total_inertia() const { return std::accumulate(inertia.begin(), inertia.end(), 0.0); }

}  // namespace grappa::mapreduce::detail
