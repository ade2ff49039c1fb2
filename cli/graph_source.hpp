#pragma once

// The graph that a command works on: its options, its memory, its loading.
//
//   GraphSource source;
//   source.add_options(line);                  // GRAPH --format --directed --undirected --seed
//   if (!line.parse(arguments)) return 0;
//   graph::EdgeList list = source.load(progress, quiet);     // inside of grappa::run

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/progress.hpp"
#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/load/internal/load_stored.hpp"
#include "grappa/graph/load/load.hpp"
#include "grappa/graph/load/load_parts.hpp"

namespace grappa::cli {

class GraphSource {
 public:
  void add_options(CommandLine& line);
  /// For a command that takes generators only: SPEC --directed --seed.
  void add_generator_options(CommandLine& line);

  /// As given on the command line.
  const std::string& name() const { return path_; }
  bool is_generator() const;
  /// Whether the edges are the rows of a query (query_edges.hpp).
  bool is_query() const;

  /// What is read.
  std::vector<std::string> files() const;

  /// Whether weights are read (or generated) or left out, and which of them are refused.
  void want_weights(bool want, double least = std::numeric_limits<double>::lowest()) {
    want_weights_ = want;
    least_weight_ = least;
  }

  /// What the loader gets. UsageError for a format that does not exist, or directions that
  /// contradict each other.
  graph::LoadOptions load_options() const;

  /// What is read, opened until it is loaded. Not of a query.
  graph::GraphInput& input();

  /// Reads or generates it on the cores of this locale; called by one task inside of a run. What
  /// the loader remarks goes to standard error, unless quiet.
  graph::EdgeList load(Progress& progress, bool quiet);
  /// The same on all locales, each of which has a part then.
  graph::EdgeParts load_parts(Progress& progress, bool quiet);
  /// The graph itself, on all locales, where the file holds the one that is to be built.
  std::optional<graph::StoredGraph> load_stored(const graph::BuildOptions& build,
                                                Progress& progress, bool quiet);

 private:
  void add_common_options(CommandLine& line);
  graph::GraphInput& input_showing(Progress& progress);
  graph::EdgeList load_query(Progress& progress) const;
  void finish_load(Progress& progress, bool quiet, const std::string& note) const;

  std::string path_;
  std::string format_;
  std::int64_t seed_ = 1;
  bool directed_ = false;
  bool undirected_ = false;
  bool want_weights_ = false;
  double least_weight_ = std::numeric_limits<double>::lowest();
  std::optional<graph::GraphInput> input_;
};

}  // namespace grappa::cli
