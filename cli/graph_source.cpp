#include "cli/graph_source.hpp"

#include <fmt/format.h>

#include <limits>

#include "cli/query_edges.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/io/runtime_parallel_for.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kGraphGroup = "Graph";

std::string known_formats() {
  std::string text;
  for (const graph::FormatInfo& format : graph::format_names()) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", format.name);
  }
  return text;
}

}  // namespace

void GraphSource::add_options(CommandLine& line) {
  line.add_positional(
      "GRAPH", path_,
      "a file, - for standard input, or a generator: kron:SCALE[:EDGEFACTOR], "
      "urand:SCALE[:DEGREE], grid:ROWSxCOLS, or sql:QUERY, whose rows are the edges "
      "(grappa help graphs tells more)");
  line.add_text(kGraphGroup, "--format", "FORMAT", format_,
                fmt::format("of the file, where its name does not tell: {}", known_formats()));
  line.add_switch(kGraphGroup, "--undirected", undirected_, "take every edge as undirected");
  line.unused_when("--undirected", [this] {
    return is_generator() && !directed_ ? "generated graphs are undirected" : "";
  });
  add_common_options(line);
}

void GraphSource::add_generator_options(CommandLine& line) {
  line.add_positional("SPEC", path_,
                      "kron:SCALE[:EDGEFACTOR], urand:SCALE[:DEGREE], grid:ROWSxCOLS");
  add_common_options(line);
}

void GraphSource::add_common_options(CommandLine& line) {
  line.add_switch(kGraphGroup, "--directed", directed_,
                  "take every edge as directed; undirected ones become two");
  line.add_count(kGraphGroup, "--seed", "N", seed_, 0, std::numeric_limits<std::int64_t>::max(),
                 "of a generated graph");
  line.unused_when("--seed", [this] { return is_generator() ? "" : "the graph is not generated"; });
}

bool GraphSource::is_generator() const { return format_.empty() && graph::is_generator(path_); }

bool GraphSource::is_query() const { return format_.empty() && query_of_graph(path_); }

std::vector<std::string> GraphSource::files() const {
  return is_query() ? files_of_query(*query_of_graph(path_)) : graph::files_to_load(load_options());
}

graph::LoadOptions GraphSource::load_options() const {
  if (directed_ && undirected_) throw UsageError("--directed and --undirected: give one of them");
  graph::LoadOptions options;
  options.path = path_;
  if (!format_.empty()) options.format = graph::parse_format(format_);
  if (directed_ || undirected_) options.directed = directed_;
  options.want_weights = want_weights_;
  options.least_weight = least_weight_;
  options.seed = static_cast<std::uint64_t>(seed_);
  return options;
}

graph::GraphInput& GraphSource::input() {
  if (!input_) input_.emplace(load_options());
  return *input_;
}

graph::EdgeList GraphSource::load(Progress& progress, bool quiet) {
  if (is_query()) return load_query(progress);
  graph::EdgeList list = graph::load_edge_list(input_showing(progress), io::runtime_parallel_for());
  input_.reset();
  finish_load(progress, quiet, list.note);
  return list;
}

graph::EdgeList GraphSource::load_query(Progress& progress) const {
  progress.show("asking for the edges");
  graph::EdgeList list = edges_of_query(*query_of_graph(path_), load_options());
  progress.clear();
  return list;
}

graph::EdgeParts GraphSource::load_parts(Progress& progress, bool quiet) {
  if (is_query()) return graph::parts_of(load_query(progress));
  graph::EdgeParts list = graph::load_edge_parts(input_showing(progress));
  input_.reset();
  finish_load(progress, quiet, list.note);
  return list;
}

std::optional<graph::StoredGraph> GraphSource::load_stored(const graph::BuildOptions& build,
                                                           Progress& progress, bool quiet) {
  if (is_query()) return std::nullopt;
  auto stored = graph::load_stored_graph(input_showing(progress), build);
  if (stored) input_.reset();
  finish_load(progress, quiet, stored ? stored->note : "");
  return stored;
}

graph::GraphInput& GraphSource::input_showing(Progress& progress) {
  input().options.progress = progress.reporter(fmt::format("loading {}", path_));
  return input();
}

void GraphSource::finish_load(Progress& progress, bool quiet, const std::string& note) const {
  progress.clear();
  if (!note.empty() && !quiet) internal::log_info("{}: {}", path_, note);
}

}  // namespace grappa::cli
