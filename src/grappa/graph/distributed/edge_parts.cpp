#include "grappa/graph/distributed/edge_parts.hpp"

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

/// The weights of some edges.
struct PartWeights {
  WeightRange range;
  std::int64_t edges = 0;
  std::int64_t weights = 0;
};

/// The weights of the slice of its locale's part that this core looks at.
PartWeights weights_here(const EdgeList* list) {
  if (list == nullptr) return {};
  const std::size_t slice = core_in_locale();
  const auto slices = static_cast<std::size_t>(cores_per_locale());
  const std::size_t count = list->weights.size();
  const std::size_t begin = count * slice / slices;
  const std::size_t end = count * (slice + 1) / slices;
  PartWeights mine;
  mine.range = range_of(std::span(list->weights).subspan(begin, end - begin));
  mine.weights = static_cast<std::int64_t>(end - begin);
  if (slice == 0) mine.edges = static_cast<std::int64_t>(list->edges.size());
  return mine;
}

PartWeights sum_of(PartWeights a, const PartWeights& b) {
  a.range.add(b.range);
  a.edges += b.edges;
  a.weights += b.weights;
  return a;
}

}  // namespace

EdgeParts EdgeParts::create() {
  EdgeParts parts;
  parts.part = Replica<EdgeList*>::create(1);
  on_each_locale([part = parts.part] { *part.data() = new EdgeList; });
  return parts;
}

void EdgeParts::destroy() {
  on_each_locale([part = part] { delete *part.data(); });
  part.destroy();
}

std::optional<WeightRange> EdgeParts::weight_range() const {
  const PartWeights all =
      reduce_cores([part = part] { return weights_here(*part.data()); }, PartWeights(), sum_of);
  if (all.weights == 0) return std::nullopt;
  if (all.weights != all.edges) throw Error("only some of the edges have weights");
  return all.range;
}

}  // namespace grappa::graph
