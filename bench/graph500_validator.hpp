#pragma once

// The validation of the Graph500 benchmark (specification 2.0, section 8), by all cores.
//
//   const Owned<Graph500Validator> owned = Graph500Validator::create(graph.vertex_count());
//   const Graph500Validator validator = *owned;
//   validator.take(graph, *bfs_result.parent, *bfs_result.depth);
//   input.visit(false, [validator](auto edges, auto weights) { validator.check(edges, weights); });
//   const Graph500Validation found = validator.finish(graph, source);   // .failure, .edges
//
// The result of a search is compared with the edges of the input, not with the graph that the
// kernel worked on. With a length of 1 for every edge of a breadth-first search, and its weight for
// one of shortest paths, these hold:
//   1. The source is its own parent, at distance 0; a vertex has a parent if and only if it has a
//      distance; chains of parents have no cycles.
//   2. The distance of a parent is no greater than its child's, and of a breadth-first parent it is
//      one level less.
//   3. The ends of an edge of the input differ in distance by no more than its length,
//   4. or neither has one: the tree spans a whole component.
//   5. A vertex and its parent are the ends of an edge of the input, whose length is the difference
//      of their distances.
//
// By 3 no distance is too great, by 1 and 5 none is too small: they are those of shortest paths.
// Every locale has a copy of the parents and of the distances (12 bytes a vertex).

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::bench {

struct Graph500Validation {
  std::string failure;     // the first rule that was found broken, and where; empty: all hold
  std::int64_t edges = 0;  // of the input with both ends in the tree, equal ones and loops included
};

class Graph500Validator {
 public:
  /// Called by one task; these switch tasks.
  static Graph500Validator create(std::int64_t vertices);
  void destroy();

  /// A result to be validated.
  void take(const graph::Graph& graph, const GlobalArray<graph::VertexId>& parent,
            const GlobalArray<std::int32_t>& depth) const;
  void take(const graph::Graph& graph, const GlobalArray<graph::VertexId>& parent,
            const GlobalArray<double>& distance) const;

  /// Edges of the input; without weights their length is 1. By any core; every edge must have been
  /// given once, on any locale, before finish(). Does not switch tasks.
  void check(std::span<const graph::Edge> edges, std::span<const double> weights) const;

  /// By one task; switches tasks.
  Graph500Validation finish(const graph::Graph& graph, graph::VertexId source) const;

 private:
  enum class Rule : std::uint64_t { kSource, kParent, kCycle, kLevel, kEdge, kSpan, kJoined };
  static constexpr std::size_t kRules = 7;

  /// Where a rule is broken.
  struct Breach {
    Rule rule = Rule::kSource;
    std::int64_t vertex = 0;
    std::int64_t other = 0;  // its parent, or the other end of an edge
    double distance = 0;
    double other_distance = 0;
    double length = 0;
  };

  /// What the cores of a locale find.
  struct Findings {
    alignas(64) std::int64_t edges = 0;
    bool levels = false;  // the distances are those of a breadth-first search
    std::array<std::int64_t, kRules> breaches{};  // by rule
    std::array<Breach, kRules> first{};           // of each rule
  };

  template <class Distance>
  void take_result(const graph::Graph& graph, const GlobalArray<graph::VertexId>& parent,
                   const GlobalArray<Distance>& distance) const;
  void note(const Breach& breach) const;
  void check_vertex(graph::VertexId v, graph::VertexId source) const;
  bool leads_into_cycle(graph::VertexId v, graph::VertexId source) const;
  static std::string text_of(const Breach& breach);

  Replica<graph::VertexId> parent_;
  Replica<double> distance_;
  Replica<std::uint64_t> joined_;  // a bit a vertex: to its parent, by an edge that explains it
  Replica<Findings> findings_;
};

}  // namespace grappa::bench
