// grappa msf: the minimum spanning forest.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/number_text.hpp"
#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kMsfDescription =
    "Minimum spanning forest: of each connected component the tree of edges that joins its "
    "vertices and has the least sum of weights. Among edges of equal weight the one with the "
    "smaller end is preferred, then the one with the smaller other end, so there is one such "
    "forest. Edges are taken as undirected, and self-loops are ignored. Weights are any numbers; "
    "where the graph has none every edge weighs 1 (and that is said).\n\n"
    "-o writes the edges of the forest, which is a weighted graph again.\n\n"
    "Borůvka's algorithm (1926).";

class SpanningForest final : public KernelOf<graph::SpanningForestResult> {
 public:
  SpanningForest()
      : KernelOf({.title = "spanning forest",
                  .description = kMsfDescription,
                  .value = "weight",
                  .build = {.symmetrize = true},
                  .wants_weights = true,
                  .lines = "a line \"vertex<TAB>vertex<TAB>weight\" for every edge of the forest, "
                           "in ascending order"}) {}

  void run(const KernelInput& in) override { result_ = graph::minimum_spanning_forest(in.graph); }

  void discard() override {
    KernelOf::discard();
    edges_ = {};
  }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  void summarize(const KernelInput& in, double) override {
    in.report.line("Weight", "{}", fact("weight", result_.weight));
    in.report.line("Edges of it", "{}", fact("edges", result_.edges));
    in.report.line("Trees", "{}, single vertices included", fact("trees", result_.trees));
    list_heaviest(in);
  }

  Lines lines(const KernelInput& in) override {
    collect(in);
    return {std::ssize(edges_), [this, &names = in.names](std::string& text, std::int64_t line) {
              const graph::ForestEdge& edge = edges_[static_cast<std::size_t>(line)];
              names.append(text, edge.u);
              text += '\t';
              names.append(text, edge.v);
              text += '\t';
              append_number(text, edge.weight);
            }};
  }

  ResultColumns columns(const KernelInput& in) override {
    collect(in);
    std::vector<graph::VertexId> u;
    std::vector<graph::VertexId> v;
    std::vector<double> weight;
    for (const graph::ForestEdge& edge : edges_) {
      u.push_back(edge.u);
      v.push_back(edge.v);
      weight.push_back(edge.weight);
    }
    ResultColumns made;
    made.push_back({"u", std::move(u), true});
    made.push_back({"v", std::move(v), true});
    made.push_back({info().value, std::move(weight)});
    return made;
  }

 private:
  void collect(const KernelInput& in) {
    if (edges_.empty()) edges_ = graph::forest_edges(in.graph, result_);
  }

  // The edges that were hardest to do without.
  void list_heaviest(const KernelInput& in) {
    collect(in);
    std::vector<graph::ForestEdge> heaviest(
        static_cast<std::size_t>(std::min(in.top, std::ssize(edges_))));
    std::ranges::partial_sort_copy(
        edges_, heaviest, [](const graph::ForestEdge& a, const graph::ForestEdge& b) {
          return a.weight != b.weight ? a.weight > b.weight : a.is_lighter_than(b);
        });
    Table table(in.report, "heaviest", {{"Heaviest edge"}, {"to"}, {"Weight"}});
    for (const graph::ForestEdge& edge : heaviest)
      table.add(vertex_fact("u", in.names, edge.u), vertex_fact("v", in.names, edge.v),
                fact("weight", edge.weight));
    table.print();
  }

  std::vector<graph::ForestEdge> edges_;  // once collected
};

}  // namespace

std::unique_ptr<Kernel> make_msf() { return std::make_unique<SpanningForest>(); }

}  // namespace grappa::cli
