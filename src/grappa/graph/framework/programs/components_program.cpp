#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/connected_components/internal/least_labels.hpp"
#include "grappa/graph/framework/run_program.hpp"

namespace grappa::graph {
namespace {

struct LeastLabel {
  using Gather = VertexId;
  static Gather identity() { return kNoVertex; }
  static Gather combine(Gather a, Gather b) { return std::min(a, b); }

  VertexView<VertexId> label;  // kNoVertex at first
  void bind() { label.bind(); }

  Gather initial(VertexId v) const { return v; }
  bool apply(VertexId v, Gather total) const {
    if (total >= label[v]) return false;
    label[v] = total;
    return true;
  }
  Gather scatter(VertexId v) const { return label[v]; }
  std::int64_t priority(VertexId, Gather total) const { return total; }
};

}  // namespace

ComponentsResult components_program(const Graph& graph, Engine engine) {
  if (graph.is_directed())
    throw UsageError("components_program: the graph is directed; build it with symmetrize");
  Owned<GlobalArray<VertexId>> label = graph.make_vertex_array_for_overwrite<VertexId>();
  on_all_cores([label = *label] { std::ranges::fill(label.local(), kNoVertex); });
  run_program(graph, LeastLabel{VertexView(*label)}, engine);
  label_by_given(graph, *label);
  ComponentsResult result;
  result.label = std::move(label);
  return result;
}

}  // namespace grappa::graph
