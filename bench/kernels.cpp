// bench kernels: all graph kernels of the tool, beside other systems' on the same graph.
//
// The graph is undirected and simple. A trial of a kernel that starts at a vertex is a run from
// each of the same sources, and its result the mean. Baselines, from PyPI: `graphblas`
// (SuiteSparse, with the algorithms of LAGraph), `networkit` and `igraph`, each in a process of
// Python of its own, with as many threads as there are cores; from Debian: `pbgl`, the Parallel
// Boost Graph Library, in MPI processes of its own. Each gets the graph as arrays and makes its own
// from them beforehand (baseline_process.hpp); timed is the kernel's call alone, in every system.
// Check: the whole result of every run of a baseline agrees with ours (kernel_agreement.hpp); ours
// of a kernel that no baseline has, or that is not compared, passes the library's serial verifier.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/baseline_process.hpp"
#include "bench/graph_kernels.hpp"
#include "bench/kernel_agreement.hpp"
#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/load/load_parts.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"
#include "grappa/graph/structure/sample_vertices.hpp"
#include "grappa/grappa.hpp"
#include "grappa/io/unnamed_file.hpp"

namespace grappa::bench {
namespace {

using graph::Graph;
using graph::VertexId;

std::vector<std::string> names_of_kernels() {
  std::vector<std::string> names;
  for (const MeasuredKernel& kernel : measured_kernels()) names.push_back(kernel.name);
  return names;
}

/// The files that hold the graph.
struct Files {
  io::UnnamedFile offsets;
  io::UnnamedFile targets;
  io::UnnamedFile weights;
  std::vector<std::string> paths() const {
    return {offsets.path(), targets.path(), weights.path()};
  }
};

/// Writes the rows of all locales where processes find them; the request that tells one to load
/// them. Vertices have 32 bits there, whatever they have here.
std::string hand_over(const Graph& graph, Files& files) {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  if (graph.vertex_count() > most) {
    throw UsageError(
        fmt::format("{} vertices; --baseline takes at most {}", graph.vertex_count(), most));
  }
  const auto rows = graph::SerialGraph::as_numbered(graph);
  files.offsets.write(std::as_bytes(rows.offsets()));
  std::vector<std::uint32_t> targets(rows.targets().size());
  std::ranges::transform(rows.targets(), targets.begin(),
                         [](VertexId v) { return static_cast<std::uint32_t>(v); });
  files.targets.write(std::as_bytes(std::span(targets)));
  const std::string_view weights =
      visit_weights(graph.weight_type(), [&]<class W>(W) -> std::string_view {
        if constexpr (std::is_same_v<W, graph::UnitWeight>) {
          return "none";
        } else {
          std::vector<W> narrow(rows.weights().size());
          std::ranges::transform(rows.weights(), narrow.begin(),
                                 [](double weight) { return static_cast<W>(weight); });
          files.weights.write(std::as_bytes(std::span(narrow)));
          return std::is_same_v<W, double>          ? "float64"
                 : std::is_same_v<W, std::uint32_t> ? "uint32"
                                                    : "uint8";
        }
      });
  return fmt::format("load {} {} {}", graph.vertex_count(), graph.arc_count(), weights);
}

/// Times of one kernel.
struct Row {
  struct OfBaseline {
    std::string lacks;           // why there are none
    std::vector<double> trials;  // seconds, a source
  };
  std::string kernel;
  std::string title;
  std::vector<double> ours;
  std::vector<OfBaseline> baselines;  // as they were asked for
};

/// A cell.
cli::Fact<double, std::string> seconds_cell(const char* name, double seconds) {
  return fact(name, seconds, fmt::format("{:.5f}", seconds));
}

class Kernels final : public Benchmark {
 public:
  Kernels() : Benchmark("kernels", "graph kernels, beside those of other systems") {}

  void add_options(Options& options) override {
    options.add("--graph", graph_,
                "a generator (kron:S, urand:S, grid:RxC) or a file, whose edges are taken as "
                "undirected");
    options.add_words("--kernels", kernels_, names_of_kernels(), "which; else all");
    options.add_count("--sources", sources_, 1, 1'000'000, "vertices that searches start from");
    options.add_trials(trials_);
    options.add_number("--delta", delta_, 0, 1e300,
                       "width of the buckets of sssp; 0: each system's own choice");
    options.add_words("--baseline", baselines_, {"graphblas", "networkit", "igraph", kPbgl},
                      "also, in turn: other systems; pbgl: in MPI processes, the others: in Python "
                      "(scripts/setup --baselines)");
    options.add_count("--processes", processes_, 1, kMaxProcesses, "of pbgl, each on one core");
    options.add_count("--limit", limit_, 1, kMaxLimit,
                      "seconds that a baseline may take for one answer");
  }

  void run(const Config& base_config, Report& report) override {
    Config config = base_config;
    Files files;
    Baselines baselines;
    if (!baselines_.empty()) {
      config.stall_ns = 0;  // who waits for a baseline keeps its core
      const int threads =
          internal::cores_of_each_locale(config, static_cast<int>(internal::usable_cpus().size()));
      for (const std::string& name : each_once(baselines_))
        baselines.push_back(std::make_unique<BaselineProcess>(
            name == kPbgl ? pbgl_baseline(processes_) : kernel_baseline(name, threads),
            files.paths(), limit_));
    }
    grappa::run(config, [&] {
      cli::print_cores(report);
      measure(files, baselines, report);
    });
  }

 private:
  using Baselines = std::vector<std::unique_ptr<BaselineProcess>>;

  static constexpr const char* kPbgl = "pbgl";
  static constexpr int kMaxLimit = 1'000'000;
  static constexpr int kMaxProcesses = 256;

  static std::vector<std::string> each_once(const std::vector<std::string>& words) {
    std::vector<std::string> once;
    for (const std::string& word : words) {
      if (std::ranges::find(once, word) == once.end()) once.push_back(word);
    }
    return once;
  }

  std::vector<MeasuredKernel> chosen() const {
    std::vector<MeasuredKernel> all = measured_kernels();
    std::erase_if(all, [this](const MeasuredKernel& kernel) {
      return !kernels_.empty() && std::ranges::find(kernels_, kernel.name) == kernels_.end();
    });
    return all;
  }

  Graph load(const std::vector<MeasuredKernel>& kernels) const {
    const bool weights = std::ranges::any_of(
        kernels, [](const MeasuredKernel& kernel) { return kernel.info.wants_weights; });
    graph::EdgeParts list =
        graph::load_edge_parts({.path = graph_, .directed = false, .want_weights = weights});
    return graph::build_graph(list, {.simplify = true});
  }

  void measure(Files& files, const Baselines& baselines, Report& report) const {
    for (const auto& baseline : baselines) {
      if (locale_count() > 1 && baseline->name() != kPbgl)
        throw UsageError(
            fmt::format("bench kernels: --baseline {} needs one locale; pbgl goes with several",
                        baseline->name()));
    }
    std::vector<MeasuredKernel> kernels = chosen();
    const Owned<Graph> owned = load(kernels);
    const Graph& graph = *owned;
    const std::vector<VertexId> sources = graph::sample_sources(graph, sources_);
    if (sources.empty()) throw UsageError(fmt::format("--graph {}: there are no edges", graph_));
    // Refused now, not when other kernels have been measured.
    const double delta = graph::checked_delta(graph, sources.front(), {.delta = delta_});
    if (!baselines.empty()) {
      const std::string request = hand_over(graph, files);
      for (const auto& baseline : baselines) baseline->ask(request);
    }
    report.line("Graph", "{}, {} vertices, {} edges", fact("graph", graph_),
                fact("vertices", graph.vertex_count()), fact("edges", graph.edge_count()));
    report.line("Sources", "{}",
                fact("sources", sources, fmt::format("{}", fmt::join(sources, ", "))));
    report.set("delta", delta);
    report.set("systems", nlohmann::json::object());
    for (const auto& baseline : baselines)
      report.line("Baseline", "{}: {}", baseline->name(),
                  fact("/result/systems/" + baseline->name(), baseline->system()));
    Table table(report, "kernels",
                {{"Kernel", "{}", 26, true},
                 {"System", "{}", 10, true},
                 {"Seconds", "{}", 11},
                 {"Least", "{}", 11},
                 {"Most", "{}", 11},
                 {"Ratio", "{}", 8}});
    for (MeasuredKernel& kernel : kernels) {
      if (kernel.name == "sssp") kernel.options = {"--delta", fmt::format("{}", delta)};
      add(table, measure_kernel(graph, kernel, sources, baselines), baselines);
    }
    if (!baselines.empty()) report.line("Ratio", "how many times as long the baseline takes");
    report.line("Checked", "{}",
                fact("checked", true,
                     baselines.empty()
                         ? "each kernel's result by its serial verifier"
                         : "the whole result of every run of a baseline against ours; where no "
                           "baseline has the kernel, ours by its serial verifier"));
  }

  Row measure_kernel(const Graph& graph, const MeasuredKernel& kernel,
                     const std::vector<VertexId>& all_sources, const Baselines& baselines) const {
    const std::vector<VertexId> sources =
        kernel.info.from_source ? all_sources : std::vector<VertexId>{all_sources.front()};
    Row row{.kernel = kernel.name, .title = kernel.title, .ours = {}, .baselines = {}};
    std::vector<BaselineProcess*> able;
    for (const auto& baseline : baselines) {
      const auto reason =
          is_compared(kernel.name) ? baseline->lacks(kernel.name) : "it is not compared";
      row.baselines.push_back({.lacks = reason.value_or(""), .trials = {}});
      if (!reason) able.push_back(baseline.get());
    }
    std::vector<std::unique_ptr<PreparedKernel>> runs;  // from each source
    std::vector<std::vector<double>> expected;
    for (const VertexId source : sources) {
      PreparedKernel& run =
          *runs.emplace_back(std::make_unique<PreparedKernel>(kernel, graph, source));
      run.run();
      if (able.empty()) {
        const graph::Verification found = run.verify();
        if (!found.passed())
          throw Error(fmt::format("bench kernels: {} from vertex {}: {}", kernel.name, source,
                                  found.failure));
      } else {
        expected.push_back(run.values());
      }
      run.discard();
    }

    std::vector<std::function<double()>> things = {[&] {
      double seconds = 0;
      for (const auto& run : runs) {
        seconds += run->run();
        run->discard();
      }
      return seconds / static_cast<double>(sources.size());
    }};
    for (BaselineProcess* baseline : able) {
      baseline->ask(fmt::format("prepare {} {}", kernel.name, delta_));
      things.emplace_back([&, baseline] {
        double seconds = 0;
        for (std::size_t i = 0; i < sources.size(); ++i)
          seconds += run_baseline(*baseline, kernel.name, sources[i], expected[i]);
        return seconds / static_cast<double>(sources.size());
      });
    }
    auto results = run_in_turn(trials_, things).results;
    for (BaselineProcess* baseline : able) baseline->ask("forget");
    row.ours = std::move(results[0]);
    std::size_t next = 1;
    for (Row::OfBaseline& each : row.baselines) {
      if (each.lacks.empty()) each.trials = std::move(results[next++]);
    }
    return row;
  }

  /// Seconds; what it computed is compared.
  static double run_baseline(BaselineProcess& baseline, const std::string& kernel, VertexId source,
                             const std::vector<double>& expected) {
    const nlohmann::json answer = baseline.ask(fmt::format("run {} {}", kernel, source));
    const auto theirs = baseline.values(answer.at("values").get<std::size_t>());
    if (const auto difference = disagreement(kernel, expected, theirs))
      throw Error(fmt::format("bench kernels: {} from vertex {}: {} differs: {}", kernel, source,
                              baseline.name(), *difference));
    return answer.at("seconds").get<double>();
  }

  /// A line for each system; in the JSON object the baselines are members of the kernel.
  static void add(Table& table, const Row& row, const Baselines& baselines) {
    const auto add_times = [&table](nlohmann::json& json, const auto& kernel, const auto& system,
                                    const std::vector<double>& trials, const auto& ratio) {
      table.add_to(json, kernel, system, seconds_cell("seconds", median(trials)),
                   seconds_cell("least_seconds", std::ranges::min(trials)),
                   seconds_cell("most_seconds", std::ranges::max(trials)), ratio);
      json["trials"] = trials_json(trials);
    };
    nlohmann::json& kernel = table.new_row();
    add_times(kernel, fact("kernel", row.kernel, row.title), "Grappa", row.ours, "");
    nlohmann::json& theirs = kernel["baselines"] = nlohmann::json::array();
    for (std::size_t i = 0; i < row.baselines.size(); ++i) {
      const Row::OfBaseline& each = row.baselines[i];
      const auto name = fact("name", baselines[i]->name());
      nlohmann::json& json = theirs.emplace_back();
      if (each.lacks.empty()) {
        const double ratio = median(each.trials) / median(row.ours);
        add_times(json, "", name, each.trials, fact("ratio", ratio, fmt::format("{:.2f}", ratio)));
      } else {
        table.add_to(json, "", name, "–", "", "",
                     fact("lacks", each.lacks, fmt::format("({})", each.lacks)));
      }
    }
  }

  std::string graph_ = "kron:18";
  std::vector<std::string> kernels_;
  int sources_ = 4;
  int trials_ = 5;
  double delta_ = 0;
  std::vector<std::string> baselines_;
  int processes_ = 2;
  int limit_ = 600;
};

const Kernels kernels;

}  // namespace
}  // namespace grappa::bench
