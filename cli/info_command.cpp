// grappa info: what a graph is like.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
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
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/graph/kernel/degree_statistics.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/grappa.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kInfoDescription =
    "What a graph is like: format, size, direction, names, weights, self-loops, duplicate edges, "
    "isolated vertices, degrees, and the memory that it needs.\n\n"
    "Edges counts an undirected edge once; arcs is what is stored. Degrees count arcs.";

constexpr graph::BuildOptions kBuild{.in_edges = true};

std::string describe_format(const graph::LoadOptions& options) {
  if (options.format == graph::Format::kAuto && graph::is_generator(options.path)) {
    return "generator";
  }
  const std::string_view name = graph::format_name(graph::format_to_load(options));
  switch (graph::compression_of_path(options.path)) {
    case graph::Compression::kGzip:
      return fmt::format("{}, gzip", name);
    case graph::Compression::kZstd:
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
  void print_names() const;
  void print_degrees(const char* label, const graph::DegreeStatistics& s, const char* key);
  void print_busiest();

  GraphSource source_;
  OutputOptions output_;
  std::int64_t top_ = 10;
  std::optional<Report> report_;
  std::optional<Progress> progress_;
  graph::VertexNames names_;
  Owned<graph::Graph> graph_;
  std::optional<WeightRange> weights_;
  double load_seconds_ = 0;
  double build_seconds_ = 0;
  nlohmann::json json_;
  nlohmann::json result_;
};

int Info::execute(const Arguments& arguments) {
  CommandLine line("info", "GRAPH", kInfoDescription);
  source_.add_options(line);
  source_.want_weights(true);
  output_.add_options(line, OutputOptions::kMetrics);
  line.add_count(kOutputGroup, "--top", "K", top_, 0, 1'000'000,
                 "list the K vertices with most edges");
  if (!line.parse(arguments)) return 0;
  output_.open_for_run(line.config(), graph::files_to_load(source_.load_options()));
  report_.emplace(!output_.wants_summary());
  progress_.emplace(output_.quiet());
  run(line.config(), [this] { run_task(); });
  if (output_.wants_json()) output_.write_json(json_);
  output_.commit();
  return 0;
}

void Info::run_task() {
  print_cores(*report_);
  check_memory(source_, kBuild, true, *report_);
  load();
  print(examine(*graph_), graph::degree_statistics(*graph_));
  json_ = {{"kernel", "info"},
           {"graph",
            {{"name", source_.name()},
             {"vertices", graph_->vertex_count()},
             {"edges", graph_->edge_count()},
             {"arcs", graph_->arc_count()}}},
           {"cores", core_count()},
           {"locales", locale_count()},
           {"load_seconds", load_seconds_},
           {"build_seconds", build_seconds_},
           {"trials", nlohmann::json::array()},
           {"result", result_}};
  graph_.reset();
  output_.take_metrics(fmt::format("info {}", source_.name()));
}

void Info::load() {
  const std::uint64_t start = internal::now_ns();
  if (auto stored = source_.load_stored(kBuild, *progress_, output_.quiet())) {
    graph_ = std::move(stored->graph);
    names_ = std::move(stored->names);
    if (graph_->weight_type() != graph::WeightType::kNone)
      weights_ = {graph_->weight_range().least, graph_->weight_range().greatest};
    load_seconds_ = static_cast<double>(internal::now_ns() - start) * 1e-9;
    return;
  }
  graph::EdgeParts list = source_.load_parts(*progress_, output_.quiet());
  const std::uint64_t loaded = internal::now_ns();
  weights_ = weight_range(list);
  check_build_memory(source_, list, kBuild);
  progress_->show("building");
  graph_ = graph::build_graph(list, kBuild);
  progress_->clear();
  names_ = std::move(list.names);
  load_seconds_ = static_cast<double>(loaded - start) * 1e-9;
  build_seconds_ = static_cast<double>(internal::now_ns() - loaded) * 1e-9;
}

void Info::print(const GraphFacts& facts, const graph::DegreesResult& degrees) {
  const std::string format = describe_format(source_.load_options());
  report_->line("Graph", "{}", source_.name());
  report_->line("Format", "{}", format);
  report_->line("Edges are", "{}", graph_->is_directed() ? "directed" : "undirected");
  report_->line("Vertices", "{}", graph_->vertex_count());
  report_->line("Edges", "{}", graph_->edge_count());
  report_->line("Arcs", "{}", graph_->arc_count());
  print_portions(*graph_, *report_);
  print_names();
  if (weights_) {
    report_->line("Weights", "{} to {}", weights_->least, weights_->most);
  } else {
    report_->line("Weights", "none");
  }
  report_->line("Self-loops", "{}", facts.self_loops);
  report_->line("Duplicates", "{}", facts.duplicates);
  report_->line("Isolated", "{} vertices", degrees.isolated);
  result_ = {{"format", format},
             {"directed", graph_->is_directed()},
             {"weighted", weights_.has_value()},
             {"self_loops", facts.self_loops},
             {"duplicates", facts.duplicates},
             {"isolated", degrees.isolated}};
  if (weights_) result_["weights"] = {{"min", weights_->least}, {"max", weights_->most}};
  print_degrees(graph_->is_directed() ? "Out-degrees" : "Degrees", degrees.out,
                graph_->is_directed() ? "out_degree" : "degree");
  if (graph_->is_directed()) print_degrees("In-degrees", degrees.in, "in_degree");
  report_->line("Load time", "{}", format_seconds(load_seconds_));
  report_->line("Build time", "{}", format_seconds(build_seconds_));
  print_busiest();
}

void Info::print_names() const {
  if (names_.size() == 0) return;
  report_->line("Names", "{} {} to {}", names_.is_integer() ? "numbers" : "strings", names_.name(0),
                names_.name(static_cast<graph::VertexId>(names_.size() - 1)));
}

void Info::print_degrees(const char* label, const graph::DegreeStatistics& s, const char* key) {
  report_->line(label, "{} to {}, mean {:.4g}, median {:.4g}", s.least, s.greatest, s.mean,
                s.median);
  result_[key] = {{"min", s.least}, {"mean", s.mean}, {"median", s.median}, {"max", s.greatest}};
}

// The vertices with most out-edges, the smaller id first among equals.
void Info::print_busiest() {
  const std::vector<std::int64_t> degrees = graph::vertex_degrees(*graph_, graph::DegreeOf::kOut);
  std::vector<std::vector<std::string>> rows;
  result_["top"] = nlohmann::json::array();
  for (const std::int64_t v : highest(degrees, top_)) {
    const std::int64_t degree = degrees[static_cast<std::size_t>(v)];
    rows.push_back({names_.name(static_cast<graph::VertexId>(v)), fmt::format("{}", degree)});
    result_["top"].push_back({{"vertex", json_name(names_, v)}, {"degree", degree}});
  }
  if (!rows.empty()) {
    report_->table({"Vertex", graph_->is_directed() ? "Out-degree" : "Degree"}, rows);
  }
}

}  // namespace

int run_info(const Arguments& arguments) {
  Info info;
  return info.execute(arguments);
}

}  // namespace grappa::cli
