#pragma once

// A graph as Python has it: the list of its edges, and what kernels have made of it so far.
//
// Kernels want graphs that are built differently (KernelInfo::build). Each form is built when a
// kernel first wants it, and kept.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/kernel.hpp"
#include "grappa/graph/io/save.hpp"
#include "grappa/graph/load/load.hpp"
#include "python/module/arrays.hpp"
#include "python/module/session.hpp"

namespace grappa::python {

/// What a kernel has found.
struct Found {
  cli::ResultColumns columns;
  std::string facts;  // a JSON object
  double seconds = 0;
  std::string verified;  // what was checked; or empty
};

class PyGraph {
 public:
  /// From a file or a generator.
  PyGraph(std::shared_ptr<PySession> session, graph::LoadOptions options);
  /// From a list whose edges are made by fill(list), without the GIL.
  template <class Fill>
  PyGraph(std::shared_ptr<PySession> session, Fill fill);
  ~PyGraph();
  PyGraph(const PyGraph&) = delete;
  PyGraph& operator=(const PyGraph&) = delete;

  std::int64_t vertices() const { return list_.vertex_count; }
  /// Undirected ones once; of a generated graph without what its generator drew twice.
  std::int64_t edges();
  bool directed() const { return list_.directed; }
  bool weighted() const { return weighted_; }
  const graph::VertexNames& names() const { return list_.names; }
  /// Calls f(list) in the session; the edges are in no order, and undirected ones occur once.
  template <class F>
  auto with_list(F f);

  /// The kernel of the tool's table, with its options.
  Found run(const std::string& kernel, const cli::Arguments& options, bool verify);

  /// How vertices lie in memory, for kernels from now on: the tool's --order and --split-hubs.
  void arrange(const std::string& order, std::int64_t split_degree);
  /// What the tool's command info finds: a JSON object.
  std::string info();
  /// Writes it as the tool's convert does. Weights as there are, if not said otherwise; `names`
  /// where Python has others than the list. What the format cannot hold; or empty.
  std::string write(const graph::SaveOptions& options, std::optional<bool> with_weights,
                    bool simplified, std::optional<graph::VertexNames> names);

 private:
  // in_edges, symmetrize, simplify, weights
  using Form = std::tuple<bool, bool, bool, bool>;

  void note_list();
  graph::EdgeList load(bool want_weights) const;
  graph::EdgeList copy_of_list(bool with_weights) const;
  const graph::Graph& built(graph::BuildOptions options, bool wants_weights);

  std::shared_ptr<PySession> session_;
  graph::LoadOptions options_;
  bool is_generated_ = false;  // so that weights can be had, too
  bool weighted_ = false;
  std::optional<std::int64_t> edges_;  // once it is known
  graph::VertexOrder order_ = graph::VertexOrder::kGiven;
  std::int64_t split_degree_ = 0;
  // What follows is used in calls of the session alone, which follow one another; but of the list
  // what never changes.
  graph::EdgeList list_;
  std::map<Form, Owned<graph::Graph>> built_;
};

void add_graph(nb::module_& module);

}  // namespace grappa::python
