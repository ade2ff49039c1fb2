// What Python's graphs give besides kernels: files, and facts; and how they lie in memory.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "cli/graph_facts.hpp"
#include "cli/order_option.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "python/module/graph.hpp"

namespace grappa::python {
namespace {

nlohmann::json facts_of(const graph::DegreeStatistics& of) {
  return {{"min", of.least}, {"max", of.greatest}, {"mean", of.mean}, {"median", of.median}};
}

bool is_weighted(graph::Format format) {
  return format == graph::Format::kWeightedText || format == graph::Format::kGapWeighted;
}

}  // namespace

void PyGraph::arrange(const std::string& order, std::int64_t split_degree) {
  if (split_degree < 0)
    throw UsageError(fmt::format("split_hubs {}: a number from 0 on was expected", split_degree));
  const graph::VertexOrder named = cli::vertex_order_named(order);
  session_->call([&] {
    order_ = named;
    split_degree_ = split_degree;
    built_.clear();
  });
}

std::string PyGraph::info() {
  return session_->call([&] {
    const graph::Graph& graph = built({.in_edges = true}, true);
    const cli::GraphFacts edges = cli::examine(graph);
    const graph::DegreesResult degrees = graph::degree_statistics(graph);
    nlohmann::json facts = {{"directed", graph.is_directed()}, {"vertices", graph.vertex_count()},
                            {"edges", graph.edge_count()},     {"arcs", graph.arc_count()},
                            {"weighted", weighted_},           {"self_loops", edges.self_loops},
                            {"duplicates", edges.duplicates},  {"isolated", degrees.isolated}};
    if (graph.is_directed()) {
      facts["out_degree"] = facts_of(degrees.out);
      facts["in_degree"] = facts_of(degrees.in);
    } else {
      facts["degree"] = facts_of(degrees.out);
    }
    if (weighted_ && graph.edge_count() > 0)
      facts["weights"] = {{"min", graph.weight_range().least},
                          {"max", graph.weight_range().greatest}};
    return facts.dump();
  });
}

// Without names.
graph::EdgeList PyGraph::copy_of_list(bool with_weights) const {
  if (with_weights && !weighted_) return load(true);
  graph::EdgeList list;
  list.vertex_count = list_.vertex_count;
  list.directed = list_.directed;
  list.needs_simplify = list_.needs_simplify;
  list.edges = list_.edges;
  if (with_weights) list.weights = list_.weights;
  return list;
}

std::string PyGraph::write(const graph::SaveOptions& options, std::optional<bool> with_weights,
                           bool simplified, std::optional<graph::VertexNames> names) {
  if (options.path == "-") throw UsageError("-: a file was expected");
  graph::SaveOptions save = options;
  if (save.format == graph::Format::kAuto) save.format = graph::format_of_path(save.path, "format");
  static_cast<void>(graph::files_to_save(save));  // looks at the path
  if (names && names->size() != vertices())
    throw UsageError(fmt::format("{} names for {} vertices", names->size(), vertices()));
  return session_->call([&] {
    const bool wanted =
        with_weights.value_or(weighted_ || (is_generated_ && is_weighted(save.format)));
    if (wanted && !weighted_ && !is_generated_) throw UsageError("the graph has no weights");
    graph::EdgeList list = copy_of_list(wanted);
    list.names = names ? std::move(*names) : list_.names;
    if (simplified || list.needs_simplify) {
      graph::simplify(list, io::runtime_parallel_for());
      list.needs_simplify = false;
    }
    session_->note(fmt::format("writing {}", save.path));
    return graph::save_edge_list(std::move(list), save, io::runtime_parallel_for());
  });
}

}  // namespace grappa::python
