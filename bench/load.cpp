// bench load: reading a graph's file and building the graph, edges a second and peak memory.
//
// The file is an edge list of text, of a Kronecker graph with each edge once, in the folder for
// temporary files; or --file. It is in the system's cache from the first load on, which is the one
// whose memory is watched. Baseline: `serial`, one core with a stream and two loops
// (serial_loader.hpp). Check: every list that is read has the arcs that were generated (those that
// the baseline has read, of a --file), by number and checksum, and every graph those of its list.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

#include "bench/edge_sum.hpp"
#include "bench/measure.hpp"
#include "bench/memory_peak.hpp"
#include "bench/registry.hpp"
#include "bench/serial_loader.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/save.hpp"
#include "grappa/graph/load/internal/load_stored.hpp"
#include "grappa/graph/load/load_parts.hpp"
#include "grappa/grappa.hpp"
#include "grappa/io/runtime_parallel_for.hpp"

namespace grappa::bench {
namespace {

using graph::EdgeParts;
using graph::Graph;

/// That of the process: a task has no other way to it on other locales.
MemoryPeak* peak_of_process = nullptr;

void start_watching() {
  graph::on_each_locale([] {
    if (!internal::here().locale.config.is_simulated() || this_locale() == 0)
      peak_of_process->start();
  });
}

/// Bytes, of all processes.
std::uint64_t stop_watching() {
  const auto peaks = graph::gather_locales([]() -> std::uint64_t {
    if (internal::here().locale.config.is_simulated() && this_locale() != 0) return 0;
    return peak_of_process->stop();
  });
  return std::accumulate(peaks.begin(), peaks.end(), std::uint64_t{0});
}

/// A file that is gone with the object.
class TemporaryFile {
 public:
  TemporaryFile()
      : path_(
            (std::filesystem::temp_directory_path() / fmt::format("grappa-load-{}.el", ::getpid()))
                .string()) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The loads of a file, each part by part.
class Loads {
 public:
  Loads(graph::LoadOptions options, std::optional<ArcSum> expected)
      : options_(std::move(options)), expected_(expected) {}

  /// Seconds.
  double read() {
    const std::uint64_t start = internal::now_ns();
    stored_ = graph::load_stored_graph(options_, {});
    if (stored_) {
      const double seconds = seconds_since(start);
      const Graph& graph = *stored_->graph;
      edges_ = graph.edge_count();
      directed_ = graph.is_directed();
      sum_ = sum_of(graph);
      expect(sum_, "the graph that was read");
      return seconds;
    }
    list_ = graph::load_edge_parts(options_);
    const double seconds = seconds_since(start);
    edges_ = list_.edge_count;
    directed_ = list_.directed;
    sum_ = sum_of(list_);
    expect(sum_, "the list that was read");
    return seconds;
  }

  /// Of what was read; nothing to do if that was a graph.
  double build() {
    if (stored_) {
      note_size(*stored_->graph, stored_->names);
      stored_.reset();
      return 0;
    }
    const std::uint64_t start = internal::now_ns();
    const Owned<Graph> graph = graph::build_graph(list_);
    const double seconds = seconds_since(start);
    if (sum_of(*graph) != sum_) throw Error("bench load: the graph has not the edges of its list");
    note_size(*graph, list_.names);
    list_ = {};
    return seconds;
  }

  double read_baseline() {
    const std::uint64_t start = internal::now_ns();
    baseline_list_ = read_serially(options_.path);
    const double seconds = seconds_since(start);
    expect(sum_of_file(baseline_list_, directed_), "the list that the baseline read");
    return seconds;
  }

  double build_baseline() {
    const std::uint64_t start = internal::now_ns();
    const SerialRows rows = build_serially(baseline_list_, directed_);
    const double seconds = seconds_since(start);
    if (static_cast<std::int64_t>(rows.targets.size()) != sum_.arcs)
      throw Error("bench load: the baseline's rows have not the edges of its list");
    baseline_list_ = {};
    return seconds;
  }

  std::int64_t vertices() const { return vertices_; }
  std::int64_t edges() const { return edges_; }
  /// Of the finished graph: rows and names.
  std::uint64_t graph_bytes() const { return graph_bytes_; }

 private:
  void note_size(const Graph& graph, const graph::VertexNames& names) {
    graph_bytes_ = static_cast<std::uint64_t>(graph.arc_count()) * sizeof(graph::VertexId) +
                   static_cast<std::uint64_t>(graph.vertex_count()) * sizeof(std::uint64_t) +
                   names.memory_bytes();
    vertices_ = graph.vertex_count();
  }

  void expect(const ArcSum& sum, const char* what) {
    if (!expected_) expected_ = sum;
    if (sum != *expected_)
      throw Error(fmt::format("bench load: {} has {} arcs, checksum {:x}, instead of {}, {:x}",
                              what, sum.arcs, sum.sum, expected_->arcs, expected_->sum));
  }

  graph::LoadOptions options_;
  std::optional<ArcSum> expected_;
  std::optional<graph::StoredGraph> stored_;
  EdgeParts list_;
  ArcSum sum_;
  std::int64_t edges_ = 0;
  std::int64_t vertices_ = 0;
  bool directed_ = false;
  std::uint64_t graph_bytes_ = 0;
  std::vector<graph::Edge> baseline_list_;
};

/// Seconds of the parts of a load, by trial.
struct Parts {
  std::vector<double> read;
  std::vector<double> build;

  std::vector<double> whole() const {
    std::vector<double> sum;
    for (std::size_t i = 0; i < read.size(); ++i) sum.push_back(read[i] + build[i]);
    return sum;
  }
};

nlohmann::json json_of(const Parts& parts) {
  nlohmann::json trials = nlohmann::json::array();
  for (std::size_t i = 0; i < parts.read.size(); ++i)
    trials.push_back({{"seconds", parts.read[i] + parts.build[i]},
                      {"read_seconds", parts.read[i]},
                      {"build_seconds", parts.build[i]}});
  return trials;
}

class Load final : public Benchmark {
 public:
  Load() : Benchmark("load", "reading a graph's file and building the graph; peak memory") {}

  void add_options(Options& options) override {
    options.add("--file", file_, "the file, in any format that is read; else one is made");
    options.add_switch("--undirected", undirected_, "take the edges of the file as undirected");
    options.add_count("--scale", scale_, 1, kMaxScale,
                      "of the Kronecker graph in the file that is made");
    options.add_trials(trials_);
    options.add_choice("--baseline", baseline_, {"serial"},
                       "also, in turn: serial: one core with a stream and two loops");
  }

  void run(const Config& base_config, Report& report) override {
    Config config = base_config;
    if (!file_.empty() && !std::filesystem::is_regular_file(file_))
      throw UsageError(fmt::format("--file {}: no such file", file_));
    if (!baseline_.empty()) {
      config.stall_ns = 0;  // a baseline keeps its core
      if (!file_.empty() && !is_plain_text(file_))
        throw UsageError("--baseline serial: reads two numbers a line (.el, .txt)");
    }
    MemoryPeak peak;
    peak_of_process = &peak;
    grappa::run(config, [&] { measure(report); });
    peak_of_process = nullptr;
  }

 private:
  static constexpr int kMaxScale = 30;

  static bool is_plain_text(const std::string& path) {
    const graph::Format format = graph::format_of_path(path);
    return io::compression_of_path(path) == io::Compression::kNone &&
           (format == graph::Format::kText || format == graph::Format::kBareText);
  }

  /// In the file, or the two of LDBC's.
  static double bytes_of(const std::string& path) {
    double bytes = 0;
    for (const std::string& file : graph::files_to_load({.path = path}))
      bytes += static_cast<double>(std::filesystem::file_size(file));
    return bytes;
  }

  void measure(Report& report) const {
    if (!baseline_.empty() && locale_count() > 1)
      throw UsageError("--baseline serial: needs one locale");
    if (!file_.empty()) {
      graph::LoadOptions options{.path = file_};
      if (undirected_) options.directed = false;
      return measure(options, std::nullopt, report);
    }
    const TemporaryFile file;
    const ArcSum made = write(file.path());
    measure({.path = file.path(), .directed = false}, made, report);
  }

  /// Each edge once.
  ArcSum write(const std::string& path) const {
    const auto parallel = io::runtime_parallel_for();
    auto list =
        graph::generate(graph::parse_generator(fmt::format("kron:{}", scale_)), {}, parallel);
    graph::simplify(list, parallel);
    list.needs_simplify = false;
    const ArcSum sum = sum_of_file(list.edges, false);
    graph::save_edge_list(std::move(list), {.path = path}, parallel);
    return sum;
  }

  void measure(const graph::LoadOptions& options, std::optional<ArcSum> expected,
               Report& report) const {
    cli::print_cores(report);
    Loads loads(options, expected);
    start_watching();
    loads.read();
    loads.build();
    const std::uint64_t peak = stop_watching();
    std::vector<std::function<double()>> things = {[&] { return loads.read(); },
                                                   [&] { return loads.build(); }};
    if (!baseline_.empty()) {
      things.emplace_back([&] { return loads.read_baseline(); });
      things.emplace_back([&] { return loads.build_baseline(); });
    }
    auto results = run_in_turn(trials_, things).results;
    const Parts ours{results[0], results[1]};
    Parts baseline;
    if (!baseline_.empty()) baseline = {results[2], results[3]};
    say(options.path, loads, peak, ours, baseline, report);
  }

  void say(const std::string& path, const Loads& loads, std::uint64_t peak, const Parts& ours,
           const Parts& baseline, Report& report) const {
    const double bytes = bytes_of(path);
    const auto edges = static_cast<double>(loads.edges());
    const double read = median(ours.read);
    const double build = median(ours.build);
    const double whole = median(ours.whole());
    report.set("/trials", json_of(ours));
    report.line("File", "{:.1f} MB, {} vertices, {} edges", fact("file_bytes", bytes, bytes * 1e-6),
                fact("vertices", loads.vertices()), fact("edges", loads.edges()));
    report.line("Read", "{:.4f} s, {:.0f} MB/s, {:.1f} M edges/s", fact("read_seconds", read),
                fact("megabytes_per_second", bytes / read * 1e-6), edges / read * 1e-6);
    report.set("build_seconds", build);
    if (build > 0) report.line("Build", "{:.4f} s, {:.1f} M edges/s", build, edges / build * 1e-6);
    report.line("Load", "{:.4f} s, {:.1f} M edges/s", whole,
                fact("million_edges_per_second", edges / whole * 1e-6));
    const std::uint64_t size = loads.graph_bytes();
    report.line("Memory", "at most {} more than before, {:.2f} x the graph ({})",
                fact("peak_bytes", peak, internal::format_bytes(peak)),
                fact("peak_ratio", static_cast<double>(peak) / static_cast<double>(size)),
                fact("graph_bytes", size, internal::format_bytes(size)));
    if (!baseline_.empty()) {
      const double base = median(baseline.whole());
      report.line("Baseline", "{:.4f} s to read, {:.4f} s to build ({})",
                  fact("/baseline/read_seconds", median(baseline.read)),
                  fact("/baseline/build_seconds", median(baseline.build)),
                  fact("/baseline/name", baseline_));
      report.set("/baseline/million_edges_per_second", edges / base * 1e-6);
      report.set("/baseline/trials", json_of(baseline));
      report.line("Ratio", "{:.2f}", fact("/ratio", base / whole));
    }
    report.line("Checked", "{}",
                fact("checked", true, "every list and every graph has the edges of the file"));
  }

  std::string file_;
  bool undirected_ = false;
  int scale_ = 18;
  int trials_ = 5;
  std::string baseline_;
};

const Load load;

}  // namespace
}  // namespace grappa::bench
