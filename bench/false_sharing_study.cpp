#include "bench/false_sharing_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"

namespace grappa::bench {
namespace {

using graph::Adjacency;
using graph::Graph;
using graph::VertexId;

constexpr double kDamping = 0.85;
constexpr std::int64_t kLongs = kLineBytes / 8;

/// A value that is added to in memory each time, or in a register until it is complete. Atomic, so
/// that the compiler leaves out no access; as instructions these are plain ones.
template <class T, ValueUpdate kUpdate>
class Value {
 public:
  explicit Value(T& place) : place_(place) {
    if constexpr (kUpdate == ValueUpdate::kEachEdge) write(T{});
  }
  void add(T by) {
    if constexpr (kUpdate == ValueUpdate::kEachEdge) {
      write(std::atomic_ref(place_).load(std::memory_order_relaxed) + by);
    } else {
      sum_ += by;
    }
  }
  T sum() const {
    if constexpr (kUpdate == ValueUpdate::kEachEdge)
      return std::atomic_ref(place_).load(std::memory_order_relaxed);
    return sum_;
  }
  void write(T value) { std::atomic_ref(place_).store(value, std::memory_order_relaxed); }

 private:
  T& place_;
  T sum_ = T{};
};

/// The neighbors below v.
std::span<const VertexId> below(const Adjacency& rows, std::int64_t v) {
  const auto row = rows.neighbors(v);
  return {row.begin(), std::lower_bound(row.begin(), row.end(), static_cast<VertexId>(v))};
}

}  // namespace

FalseSharingStudy::FalseSharingStudy(const Graph& graph, int iterations, ValueUpdate update)
    : graph_(graph),
      iterations_(iterations),
      update_(update),
      rank_(graph.vertex_count(), 0),
      contribution_(graph.vertex_count(), 0),
      next_(graph.vertex_count(), 0),
      count_(graph.vertex_count(), 0),
      mark_words_((graph::bitmap_words(graph.vertex_count()) + kLongs) / kLongs * kLongs),
      marks_(static_cast<std::size_t>(mark_words_ * core_count())) {
  const Adjacency rows = graph_.out();
  for (std::int64_t v = 0; v < graph_.vertex_count(); ++v) isolated_ += rows.degree(v) == 0;
}

template <ValueUpdate kUpdate>
void FalseSharingStudy::rank_all(double everybody, std::int64_t grain) {
  for_interleaved_grains(
      graph_.vertex_count(), grain,
      [everybody, rows = graph_.out(), ranks = rank_.data(), contribution = contribution_.data(),
       next = next_.data()](std::int64_t first, std::int64_t last) {
        for (std::int64_t v = first; v < last; ++v) {
          Value<double, kUpdate> rank(ranks[v]);
          for (const VertexId u : rows.neighbors(v)) rank.add(contribution[u]);
          const double value = everybody + kDamping * rank.sum();
          rank.write(value);
          const std::int64_t degree = rows.degree(v);
          next[v] = degree == 0 ? 0 : value / static_cast<double>(degree);
        }
      });
  std::swap(contribution_, next_);
}

void FalseSharingStudy::place(std::int64_t offset) {
  for (auto* array : {&rank_, &contribution_, &next_}) array->set_offset(offset);
  count_.set_offset(offset);
  const Adjacency rows = graph_.out();
  const auto n = static_cast<double>(graph_.vertex_count());
  for (std::int64_t v = 0; v < graph_.vertex_count(); ++v) {
    const std::int64_t degree = rows.degree(v);
    contribution_.data()[v] = degree == 0 ? 0 : 1 / n / static_cast<double>(degree);
  }
}

void FalseSharingStudy::pagerank(std::int64_t grain) {
  const auto n = static_cast<double>(graph_.vertex_count());
  double rank_of_isolated = 1 / n;
  for (int i = 0; i < iterations_; ++i) {
    const double dangling = static_cast<double>(isolated_) * rank_of_isolated;
    const double everybody = ((1 - kDamping) + kDamping * dangling) / n;
    if (update_ == ValueUpdate::kEachEdge)
      rank_all<ValueUpdate::kEachEdge>(everybody, grain);
    else
      rank_all<ValueUpdate::kOnce>(everybody, grain);
    rank_of_isolated = everybody;
  }
}

template <ValueUpdate kUpdate>
void FalseSharingStudy::count_all(std::int64_t grain) {
  for_interleaved_grains(graph_.vertex_count(), grain,
                         [rows = graph_.out(), counts = count_.data(), all_marks = marks_.data(),
                          words = mark_words_](std::int64_t first, std::int64_t last) {
                           std::uint64_t* const marks = all_marks + this_core() * words;
                           for (std::int64_t u = first; u < last; ++u) {
                             Value<std::uint64_t, kUpdate> count(counts[u]);
                             const auto row = below(rows, u);
                             for (const VertexId v : row)
                               marks[v / 64] |= std::uint64_t{1} << v % 64;
                             for (const VertexId v : row) {
                               std::uint64_t triangles = 0;
                               for (const VertexId w : rows.neighbors(v)) {
                                 if (w >= v) break;
                                 triangles += graph::test_bit(marks, w);
                               }
                               count.add(triangles);
                             }
                             for (const VertexId v : row) marks[v / 64] = 0;
                             count.write(count.sum());
                           }
                         });
}

void FalseSharingStudy::triangles(std::int64_t grain) {
  if (update_ == ValueUpdate::kEachEdge)
    count_all<ValueUpdate::kEachEdge>(grain);
  else
    count_all<ValueUpdate::kOnce>(grain);
}

void check_ranks(const double* ranks, const std::vector<double>& expected) {
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if (!(std::abs(ranks[v] - expected[v]) <= 1e-9))
      throw Error(fmt::format("bench false-sharing: vertex {} has the rank {} instead of {}", v,
                              ranks[v], expected[v]));
  }
}

void check_counts(const std::uint64_t* counts, const std::vector<std::uint64_t>& expected) {
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if (counts[v] != expected[v])
      throw Error(fmt::format("bench false-sharing: vertex {} has {} triangles instead of {}", v,
                              counts[v], expected[v]));
  }
}

std::vector<std::uint64_t> count_serially(const Graph& graph) {
  const Adjacency rows = graph.out();
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(graph.vertex_count()));
  for (std::int64_t u = 0; u < graph.vertex_count(); ++u) {
    const auto row = below(rows, u);
    for (const VertexId v : row) {
      const auto other = below(rows, v);
      auto a = row.begin();
      auto b = other.begin();
      while (a != row.end() && b != other.end()) {
        counts[static_cast<std::size_t>(u)] += *a == *b;
        const bool behind = *a <= *b;
        b += *b <= *a;
        a += behind;
      }
    }
  }
  return counts;
}

void update_own_elements(bool same_line, std::int64_t updates) {
  const std::int64_t stride = same_line ? 1 : kLongs;
  const LineArray<std::uint64_t> elements(core_count() * stride, 0);
  std::fill_n(elements.data(), core_count() * stride, 0);
  on_all_cores([first = elements.data(), stride, updates] {
    Value<std::uint64_t, ValueUpdate::kEachEdge> mine(first[this_core() * stride]);
    for (std::int64_t i = 0; i < updates; ++i) mine.add(1);
  });
  for (std::int64_t k = 0; k < core_count(); ++k) {
    if (elements.data()[k * stride] != static_cast<std::uint64_t>(updates))
      throw Error("bench false-sharing: an update of a core's own element was lost");
  }
}

}  // namespace grappa::bench
