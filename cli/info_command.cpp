// grappa info: what a graph is like.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "cli/command.hpp"
#include "cli/graph_facts.hpp"
#include "cli/graph_source.hpp"
#include "cli/highest.hpp"
#include "cli/memory_check.hpp"
#include "cli/output_options.hpp"
#include "cli/run_report.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/grappa.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kInfoDescription =
    "What a graph is like: format, size, direction, names, weights, self-loops, duplicate edges, "
    "isolated vertices, degrees, and the memory that it needs.\n\n"
    "Edges counts an undirected edge once; arcs is what is stored. Degrees count arcs.";

constexpr graph::BuildOptions kBuild{.in_edges = true};

std::string describe_format(const GraphSource& source) {
  if (source.is_generator()) return "generator";
  if (source.is_query()) return "query";
  const graph::LoadOptions options = source.load_options();
  const std::string_view name = graph::format_name(graph::format_to_load(options));
  switch (io::compression_of_path(options.path)) {
    case io::Compression::kGzip:
      return fmt::format("{}, gzip", name);
    case io::Compression::kZstd:
      return fmt::format("{}, zstd", name);
    default:
      return std::string(name);
  }
}

struct WeightRange {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
};

// Of all parts; none if there are no weights.
std::optional<WeightRange> weight_range(const graph::EdgeParts& list) {
  WeightRange range;
  for (const WeightRange& part : graph::gather_locales([part = *list.part] {
         const auto& weights = part->weights;
         if (weights.empty()) return WeightRange{};
         const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
         return WeightRange{*least, *most};
       })) {
    range = {std::min(range.least, part.least), std::max(range.most, part.most)};
  }
  if (range.least > range.most) return std::nullopt;
  return range;
}

class Info {
 public:
  int execute(const Arguments& arguments);

 private:
  void run_task();
  void load();
  void print(const GraphFacts& facts, const graph::DegreesResult& degrees);
  void print_names();
  void print_degrees(const char* label, const graph::DegreeStatistics& s, const std::string& name);
  void print_busiest();

  GraphSource source_;
  OutputOptions output_;
  std::int64_t top_ = 10;
  std::optional<Report> report_;
  graph::VertexNames names_;
  Owned<graph::Graph> graph_;
  std::optional<WeightRange> weights_;
  double load_seconds_ = 0;
  double build_seconds_ = 0;
};

int Info::execute(const Arguments& arguments) {
  CommandLine line("info", "GRAPH", kInfoDescription);
  source_.add_options(line);
  source_.want_weights(true);
  output_.add_options(line, OutputOptions::kMetrics);
  line.add_count(kOutputGroup, "--top", "K", top_, 0, 1'000'000,
                 "list the K vertices with most edges");
  if (!line.parse(arguments)) return 0;
  output_.open_for_run(line.config(), source_.files());
  report_.emplace(!output_.wants_summary(), output_.quiet());
  report_->set("/kernel", "info");
  report_->set("/trials", nlohmann::json::array());
  run(line.config(), [this] { run_task(); });
  output_.commit(*report_);
  return 0;
}

void Info::run_task() {
  print_cores(*report_);
  check_memory(source_, kBuild, true, *report_);
  load();
  print(examine(*graph_), graph::degree_statistics(*graph_));
  graph_.reset();
  output_.take_metrics(fmt::format("info {}", source_.name()), *report_);
}

void Info::load() {
  const std::uint64_t start = internal::now_ns();
  if (auto stored = source_.load_stored(kBuild, report_->progress(), output_.quiet())) {
    graph_ = std::move(stored->graph);
    names_ = std::move(stored->names);
    if (graph_->weight_type() != graph::WeightType::kNone)
      weights_ = {graph_->weight_range().least, graph_->weight_range().greatest};
    load_seconds_ = internal::seconds_since(start);
    return;
  }
  graph::EdgeParts list = source_.load_parts(report_->progress(), output_.quiet());
  const std::uint64_t loaded = internal::now_ns();
  weights_ = weight_range(list);
  report_->progress().show("building");
  graph_ = graph::build_graph(list, kBuild);
  report_->progress().clear();
  names_ = std::move(list.names);
  load_seconds_ = static_cast<double>(loaded - start) * 1e-9;
  build_seconds_ = internal::seconds_since(loaded);
}

void Info::print(const GraphFacts& facts, const graph::DegreesResult& degrees) {
  const bool directed = graph_->is_directed();
  report_->line("Graph", "{}", fact("/graph/name", source_.name()));
  report_->line("Format", "{}", fact("format", describe_format(source_)));
  report_->line("Edges are", "{}",
                fact("directed", directed, directed ? "directed" : "undirected"));
  report_->line("Vertices", "{}", fact("/graph/vertices", graph_->vertex_count()));
  report_->line("Edges", "{}", fact("/graph/edges", graph_->edge_count()));
  report_->line("Arcs", "{}", fact("/graph/arcs", graph_->arc_count()));
  print_portions(*graph_, *report_);
  print_names();
  report_->set("weighted", weights_.has_value());
  if (weights_) {
    report_->line("Weights", "{} to {}", fact("/result/weights/min", weights_->least),
                  fact("/result/weights/max", weights_->most));
  } else {
    report_->line("Weights", "none");
  }
  report_->line("Self-loops", "{}", fact("self_loops", facts.self_loops));
  report_->line("Duplicates", "{}", fact("duplicates", facts.duplicates));
  report_->line("Isolated", "{} vertices", fact("isolated", degrees.isolated));
  print_degrees(directed ? "Out-degrees" : "Degrees", degrees.out,
                directed ? "/result/out_degree" : "/result/degree");
  if (directed) print_degrees("In-degrees", degrees.in, "/result/in_degree");
  report_->line("Load time", "{}", seconds_fact("/load_seconds", load_seconds_));
  report_->line("Build time", "{}", seconds_fact("/build_seconds", build_seconds_));
  print_busiest();
}

void Info::print_names() {
  if (names_.size() == 0) return;
  report_->line("Names", "{} {} to {}", names_.is_integer() ? "numbers" : "strings", names_.name(0),
                names_.name(static_cast<graph::VertexId>(names_.size() - 1)));
}

void Info::print_degrees(const char* label, const graph::DegreeStatistics& s,
                         const std::string& name) {
  report_->line(label, "{} to {}, mean {:.4g}, median {:.4g}", fact(name + "/min", s.least),
                fact(name + "/max", s.greatest), fact(name + "/mean", s.mean),
                fact(name + "/median", s.median));
}

// The vertices with most out-edges, the smaller id first among equals.
void Info::print_busiest() {
  const std::vector<std::int64_t> degrees = graph::vertex_degrees(*graph_, graph::DegreeOf::kOut);
  Table table(*report_, "top", {{"Vertex"}, {graph_->is_directed() ? "Out-degree" : "Degree"}});
  for (const std::int64_t v : highest(degrees, top_))
    table.add(vertex_fact("vertex", names_, v),
              fact("degree", degrees[static_cast<std::size_t>(v)]));
  table.print();
}

}  // namespace

int run_info(const Arguments& arguments) {
  Info info;
  return info.execute(arguments);
}

}  // namespace grappa::cli
