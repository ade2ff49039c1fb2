#include "grappa/graph/build/internal/edge_parts.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

/// What some edges are like.
struct PartFacts {
  WeightRange range;
  std::int64_t edges = 0;
  std::int64_t weights = 0;
  VertexId least = kNoVertex;
  VertexId greatest = 0;
};

/// Of `count` elements, those that this core looks at.
template <class Elements>
auto slice_here(const Elements& elements) {
  const std::size_t slice = core_in_locale();
  const auto slices = static_cast<std::size_t>(cores_per_locale());
  const std::size_t begin = elements.size() * slice / slices;
  return std::span(elements).subspan(begin, elements.size() * (slice + 1) / slices - begin);
}

/// The slice of its locale's part that this core looks at.
PartFacts facts_here(const EdgeList& list) {
  const auto edges = slice_here(list.edges);
  const auto weights = slice_here(list.weights);
  PartFacts mine{
      .range = range_of(weights), .edges = std::ssize(edges), .weights = std::ssize(weights)};
  for (const Edge& e : edges) {
    mine.least = std::min(mine.least, std::min(e.source, e.target));
    mine.greatest = std::max(mine.greatest, std::max(e.source, e.target));
  }
  return mine;
}

PartFacts sum_of(PartFacts a, const PartFacts& b) {
  a.range.add(b.range);
  a.edges += b.edges;
  a.weights += b.weights;
  a.least = std::min(a.least, b.least);
  a.greatest = std::max(a.greatest, b.greatest);
  return a;
}

}  // namespace

EdgeParts EdgeParts::create() {
  EdgeParts parts;
  parts.part = LocaleState<EdgeList>::create();
  return parts;
}

EdgeParts parts_of(EdgeList list) {
  EdgeParts parts = EdgeParts::create();
  parts.vertex_count = list.vertex_count;
  parts.edge_count = std::ssize(list.edges);
  parts.directed = list.directed;
  parts.needs_simplify = list.needs_simplify;
  parts.names = std::move(list.names);
  parts.note = std::move(list.note);
  **parts.part = std::move(list);
  return parts;
}

EdgeParts::Facts EdgeParts::facts() const {
  const PartFacts all =
      reduce_cores([part = *part] { return facts_here(*part); }, PartFacts(), sum_of);
  Facts facts{.edges = all.edges,
              .least = static_cast<std::int64_t>(all.least),
              .greatest = static_cast<std::int64_t>(all.greatest),
              .weights = {}};
  if (all.weights != 0) {
    if (all.weights != all.edges) throw Error("only some of the edges have weights");
    facts.weights = all.range;
  }
  return facts;
}

}  // namespace grappa::graph
