#pragma once

// PageRank and triangle counting of the study of false sharing (Y. Xing, F. Liu, N. Xiao, Z. Chen,
// Y. Lu, "Capability for multi-core and many-core memory systems: a case-study with Xeon
// processors", IEEE Access, 2018, sections IV and V): values of 8 bytes a vertex that all cores
// write, grain by grain, and the check of what they wrote.
//
// On one locale, on the rows of an undirected simple graph. The closures point into the memory of
// the process: Config::scan_payloads is to be off. Called by one task; they switch tasks.

#include <cstdint>
#include <vector>

#include "bench/interleaved_grains.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::bench {

/// When a vertex's value in memory is updated.
enum class ValueUpdate : std::uint8_t {
  kEachEdge,  // as the study's Ligra does
  kOnce,      // at the end, from a register, as Grappa's kernels do
};

class FalseSharingStudy {
 public:
  FalseSharingStudy(const graph::Graph& graph, int iterations, ValueUpdate update);

  /// Puts the arrays that are written so many elements off a cache line, and the first ranks there.
  void place(std::int64_t offset);
  /// After place(); with grains of so many vertices.
  void pagerank(std::int64_t grain);
  void triangles(std::int64_t grain);

  /// Of the last call. A triangle is counted at its vertex of the highest number.
  const double* ranks() const { return rank_.data(); }
  const std::uint64_t* counts() const { return count_.data(); }

 private:
  template <ValueUpdate kUpdate>
  void rank_all(double everybody, std::int64_t grain);
  template <ValueUpdate kUpdate>
  void count_all(std::int64_t grain);

  graph::Graph graph_;
  int iterations_;
  ValueUpdate update_;
  std::int64_t isolated_ = 0;  // vertices
  LineArray<double> rank_;
  LineArray<double> contribution_;  // rank by degree, of the iteration that is over
  LineArray<double> next_;          // of this one
  LineArray<std::uint64_t> count_;
  std::int64_t mark_words_;           // of a core
  std::vector<std::uint64_t> marks_;  // by core: bitmap of all vertices
};

/// Throw Error where a rank is further than 1e-9 from the expected one, or a count another one.
void check_ranks(const double* ranks, const std::vector<double>& expected);
void check_counts(const std::uint64_t* counts, const std::vector<std::uint64_t>& expected);

/// By one core and by other code than the study's: the triangles of each vertex in which it has the
/// highest number.
std::vector<std::uint64_t> count_serially(const graph::Graph& graph);

/// Every core adds 1 to an element of its own, so many times, in memory: neighbors in a line, or
/// with a line for each. Throws Error if one was lost.
void update_own_elements(bool same_line, std::int64_t updates);

}  // namespace grappa::bench
