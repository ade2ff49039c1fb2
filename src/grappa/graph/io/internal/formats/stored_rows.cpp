#include "grappa/graph/io/internal/formats/stored_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "grappa/base/error.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/io/internal/formats/adjacency.hpp"
#include "grappa/graph/structure/internal/vertex_pair.hpp"

namespace grappa::graph::io {
namespace {

/// Neither linear in its arguments nor symmetric.
std::uint64_t hash_arc(std::uint64_t from, std::uint64_t to, std::uint64_t weight) {
  std::uint64_t x = word_of_pair(from, to) + weight * 0xC2B2AE3D27D4EB4F;
  x = (x ^ x >> 29) * 0x9E3779B97F4A7C15;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93;
  return x ^ x >> 31;
}

template <class W>
std::uint64_t bits_of(W weight) {
  if constexpr (std::is_same_v<W, double>) {
    return std::bit_cast<std::uint64_t>(weight);
  } else {
    return weight;
  }
}

}  // namespace

void check_offsets(std::span<const std::uint64_t> offsets, std::int64_t first,
                   const StoredHeader& header, const std::string& file) {
  const auto last = first + static_cast<std::int64_t>(offsets.size()) - 1;
  const bool begins_well = first != 0 || offsets.front() == 0;
  const bool ends_well =
      last != static_cast<std::int64_t>(header.vertices) || offsets.back() == header.arcs;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i] > offsets[i + 1] || offsets[i + 1] > header.arcs) {
      throw InputError(file, 0,
                       fmt::format("damaged: the neighbors of vertex {} run from {} to {} of {}",
                                   first + static_cast<std::int64_t>(i), offsets[i], offsets[i + 1],
                                   header.arcs));
    }
  }
  if (!begins_well || !ends_well)
    throw InputError(file, 0, "damaged: the rows do not fill their section");
}

template <bool kDirected>
std::uint64_t RowCheck::surplus_of(std::uint64_t row, std::uint64_t target,
                                   std::uint64_t weight) const {
  if constexpr (kDirected) {
    return rows_ == RowsOf::kOut ? hash_arc(row, target, weight) : -hash_arc(target, row, weight);
  } else {
    const std::uint64_t hash = hash_arc(std::min(row, target), std::max(row, target), weight);
    return target > row ? hash : target < row ? -hash : hash & of_loops_;
  }
}

StoredSums sums_of_rows(const Adjacency& rows, const StoredHeader& header,
                        const ParallelFor& parallel) {
  const std::string no_file;
  const RowCheck check(header, header.weight_type, RowsOf::kOut, no_file);
  std::atomic<std::uint64_t> arcs{0};
  std::atomic<std::uint64_t> bare_arcs{0};
  const auto surplus = [&](std::uint64_t row, std::uint64_t target, std::uint64_t weight) {
    return header.directed != 0 ? check.surplus_of<true>(row, target, weight)
                                : check.surplus_of<false>(row, target, weight);
  };
  visit_weights(header.weight_type, [&]<class W>(W) {
    for_ranges(parallel, static_cast<std::int64_t>(header.vertices), tuning::kRowGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 std::uint64_t with_weights = 0;
                 std::uint64_t bare = 0;
                 for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end);
                      ++v) {
                   for (auto arc = static_cast<std::size_t>(rows.offsets[v]);
                        arc < static_cast<std::size_t>(rows.offsets[v + 1]); ++arc) {
                     const auto target = static_cast<std::uint64_t>(rows.neighbors[arc]);
                     std::uint64_t weight = 0;
                     if constexpr (!std::is_same_v<W, UnitWeight>)
                       weight = bits_of(static_cast<W>(rows.weights[arc]));
                     with_weights += surplus(v, target, weight);
                     bare += surplus(v, target, 0);
                   }
                 }
                 arcs.fetch_add(with_weights, std::memory_order_relaxed);
                 bare_arcs.fetch_add(bare, std::memory_order_relaxed);
               });
  });
  return {.arcs = arcs.load(), .bare_arcs = bare_arcs.load()};
}

template <class Id>
RowFacts RowCheck::arcs(std::int64_t first, std::span<const std::uint64_t> offsets,
                        const Id* targets, const std::byte* weights, std::uint64_t begin,
                        std::uint64_t end, Id previous) const {
  return visit_weights(weight_type_, [&]<class W>(W) {
    return arcs_with(first, offsets, targets, reinterpret_cast<const W*>(weights), begin, end,
                     previous);
  });
}

template <class Id, class W>
RowFacts RowCheck::arcs_with(std::int64_t first, std::span<const std::uint64_t> offsets,
                             const Id* targets, const W* weights, std::uint64_t begin,
                             std::uint64_t end, Id previous) const {
  const auto check = [&]<bool kDirected>() {
    RowFacts facts;
    // Equal neighbors may follow each other unless the graph is simple.
    const std::int64_t least_step = header_.simple != 0 ? 1 : 0;
    auto row =
        static_cast<std::size_t>(std::ranges::upper_bound(offsets, begin) - offsets.begin() - 1);
    for (std::uint64_t arc = begin; arc < end; ++row) {
      const auto vertex = static_cast<std::uint64_t>(first) + row;
      const std::uint64_t row_begin = arc;
      const std::uint64_t row_end = std::min(offsets[row + 1], end);
      // The value before the first neighbor of a row: any vertex may follow it, and nothing below
      // 0.
      std::int64_t before = arc > offsets[row] ? static_cast<std::int64_t>(previous) : -least_step;
      bool in_order = true;
      bool in_range = true;
      std::uint64_t loops = 0;
      for (; arc < row_end; ++arc) {
        const auto target = static_cast<std::int64_t>(targets[arc]);
        in_order &= target >= before + least_step;
        before = target;
        loops += static_cast<std::uint64_t>(target) == vertex;
        std::uint64_t weight = 0;
        if constexpr (!std::is_same_v<W, UnitWeight>) {
          const auto value = static_cast<double>(weights[arc]);
          in_range &= value >= header_.least_weight && value <= header_.greatest_weight;
          weight = bits_of(weights[arc]);
        }
        facts.surplus += surplus_of<kDirected>(vertex, static_cast<std::uint64_t>(target), weight);
      }
      if (before >= static_cast<std::int64_t>(header_.vertices) || !in_order ||
          (header_.simple != 0 && loops != 0)) {
        refuse_row<Id>(static_cast<std::int64_t>(vertex), {targets + row_begin, targets + row_end});
      }
      if (!in_range) {
        throw InputError(file_, 0,
                         fmt::format("damaged: vertex {} has a weight that is not in the range "
                                     "which the header says",
                                     vertex));
      }
      facts.self_loops += loops;
    }
    return facts;
  };
  return header_.directed != 0 ? check.template operator()<true>()
                               : check.template operator()<false>();
}

template <class Id>
void RowCheck::refuse_row(std::int64_t vertex, std::span<const Id> row) const {
  const auto wrong =
      std::ranges::find_if(row, [&](Id target) { return target >= header_.vertices; });
  if (wrong != row.end()) {
    throw InputError(file_, 0,
                     fmt::format("damaged: vertex {} has a neighbor {} of {}", vertex, *wrong,
                                 header_.vertices));
  }
  throw InputError(file_, 0,
                   fmt::format("damaged: the neighbors of vertex {} are not in order{}", vertex,
                               header_.simple != 0 ? ", or not distinct" : ""));
}

template RowFacts RowCheck::arcs(std::int64_t, std::span<const std::uint64_t>, const std::uint32_t*,
                                 const std::byte*, std::uint64_t, std::uint64_t,
                                 std::uint32_t) const;
template RowFacts RowCheck::arcs(std::int64_t, std::span<const std::uint64_t>, const std::uint64_t*,
                                 const std::byte*, std::uint64_t, std::uint64_t,
                                 std::uint64_t) const;

}  // namespace grappa::graph::io
