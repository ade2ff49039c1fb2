// bench false-sharing: what it costs that two cores write into one cache line.
//
// PageRank and triangle counting (false_sharing_study.hpp) with neighboring grains of vertices on
// different cores: of whole cache lines; of as many vertices, but in arrays that begin in the
// middle of a line; and of one vertex less, which cut lines at every place. Beside them the worst
// there is: cores that update neighboring elements without a pause. Time, and where the machine
// has them hardware counters. Check: ranks and triangles of every run, against those of the library
// and of a serial count.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "bench/false_sharing_study.hpp"
#include "bench/hardware_counters.hpp"
#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "cli/run_report.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/algorithms/triangles/triangles.hpp"
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/load/load.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/grappa.hpp"
#include "grappa/io/runtime_parallel_for.hpp"

namespace grappa::bench {
namespace {

using graph::Graph;

constexpr std::int64_t kPerLine = LineArray<double>::kPerLine;

struct Cut {
  const char* name;
  std::int64_t offset;  // of the arrays, in elements off a line
  std::int64_t fewer;   // vertices in a grain
};
constexpr std::array kCuts = {Cut{"aligned", 0, 0}, Cut{"off the line", kPerLine / 2, 0},
                              Cut{"one less", 0, 1}};

/// What is measured: an algorithm with a cut, or one of the two loops over elements.
struct Row {
  std::string algorithm;
  std::string cut;
  std::int64_t aligned_grain = 0;
  std::int64_t grain = 0;
  std::function<void()> prepare = [] {};
  std::function<void()> work;
  std::function<void()> check = [] {};
  int runs = 0;                     // warm-ups and repeated ones, too
  std::vector<double> counts = {};  // of all of them
  std::vector<double> trials = {};  // seconds
  std::size_t compared_with = 0;    // the row that cuts no line
};

/// Seconds.
double run_once(Row& row, const HardwareCounters& counters) {
  row.prepare();
  const auto before = counters.read();
  const std::uint64_t start = internal::now_ns();
  row.work();
  const double seconds = seconds_since(start);
  const auto counts = counted(before, counters.read());
  row.check();
  ++row.runs;
  row.counts.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) row.counts[i] += counts[i];
  return seconds;
}

/// The results that are right.
struct Expected {
  std::vector<double> ranks;
  std::vector<std::uint64_t> counts;
};

class FalseSharing final : public Benchmark {
 public:
  FalseSharing()
      : Benchmark("false-sharing",
                  "PageRank and triangles whose grains cut cache lines or do not") {}

  void add_options(Options& options) override {
    options.add("--graph", graph_, "a file or a generator; its edges are taken as undirected");
    options.add_counts("--grains", grains_, 0, Options::kMany,
                       "vertices in a grain, multiples of 8; 0: the loops' default");
    options.add_choice("--update", update_, {"edge", "vertex"},
                       "a vertex's value in memory: with each edge, or once");
    options.add_count("--iterations", iterations_, 1, 1'000'000, "of PageRank");
    options.add_count("--updates", updates_, 1, Options::kMany, "of each core's own element");
    options.add_words("--events", events_, counter_names(), "what the processor is to count");
    options.add_trials(trials_);
  }

  void run(const Config& base_config, Report& report) override {
    for (const std::int64_t grain : grains_) {
      if (grain % kPerLine != 0)
        throw UsageError(fmt::format("--grains {}: a multiple of {}", grain, kPerLine));
    }
    Config config = base_config;
    config.scan_payloads = false;  // what is shared here is shared by threads of one process
    std::vector<CounterEvent> events;
    for (const std::string& name : events_) events.push_back(counter_event(name));
    const HardwareCounters counters(events);
    grappa::run(config, [&] {
      if (core_count() < 2 || locale_count() > 1)
        throw UsageError("bench false-sharing: needs one locale of two or more cores");
      auto list =
          graph::load_edge_list({.path = graph_, .directed = false}, io::runtime_parallel_for());
      const Owned<Graph> graph = graph::build_graph(list, {.simplify = true});
      measure(*graph, counters, report);
    });
  }

  bool draws() const override { return true; }

 private:
  void measure(const Graph& graph, const HardwareCounters& counters, Report& report) const {
    const ValueUpdate update = update_ == "edge" ? ValueUpdate::kEachEdge : ValueUpdate::kOnce;
    FalseSharingStudy study(graph, iterations_, update);
    const Expected expected = expected_of(graph);
    std::vector<Row> rows = {
        {.algorithm = "elements", .cut = "apart", .work = [&] { update_elements(false); }},
        {.algorithm = "elements", .cut = "one line", .work = [&] { update_elements(true); }}};
    const auto add = [&](const char* algorithm, auto work, const std::function<void()>& check) {
      for (const std::int64_t aligned : grains_of(graph)) {
        const std::size_t first = rows.size();
        for (const Cut& cut : kCuts) {
          const std::int64_t grain = aligned - cut.fewer;
          rows.push_back({.algorithm = algorithm,
                          .cut = cut.name,
                          .aligned_grain = aligned,
                          .grain = grain,
                          .prepare = [&study, offset = cut.offset] { study.place(offset); },
                          .work = [work, grain] { work(grain); },
                          .check = check,
                          .compared_with = first});
        }
      }
    };
    add(
        "PageRank", [&](std::int64_t grain) { study.pagerank(grain); },
        [&] { check_ranks(study.ranks(), expected.ranks); });
    add(
        "triangles", [&](std::int64_t grain) { study.triangles(grain); },
        [&] { check_counts(study.counts(), expected.counts); });

    std::vector<std::function<double()>> things;
    for (Row& row : rows) things.emplace_back([&] { return run_once(row, counters); });
    const auto results = run_in_turn(trials_, things).results;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].trials = results[i];
    say(graph, rows, counters, report);
  }

  void update_elements(bool same_line) const { update_own_elements(same_line, updates_); }

  /// Ascending, each once: of a small graph some may be the same.
  std::vector<std::int64_t> grains_of(const Graph& graph) const {
    std::vector<std::int64_t> grains;
    for (const std::int64_t grain : grains_) {
      const std::int64_t chosen = internal::choose_grain(graph.vertex_count(), core_count(), grain);
      grains.push_back((chosen + kPerLine - 1) / kPerLine * kPerLine);
    }
    std::sort(grains.begin(), grains.end());
    grains.erase(std::unique(grains.begin(), grains.end()), grains.end());
    return grains;
  }

  Expected expected_of(const Graph& graph) const {
    auto ranks = graph::pagerank(graph, {.tolerance = 0, .max_iterations = iterations_});
    auto triangles = graph::triangles(graph, {.per_vertex = false});
    Expected expected{.ranks = graph::collect(*ranks.rank, graph), .counts = count_serially(graph)};
    const std::uint64_t total = triangles.total;
    if (std::accumulate(expected.counts.begin(), expected.counts.end(), std::uint64_t{0}) != total)
      throw Error("bench false-sharing: the serial count and the library's differ");
    return expected;
  }

  void say(const Graph& graph, const std::vector<Row>& rows, const HardwareCounters& counters,
           Report& report) const {
    cli::print_cores(report);
    report.line("Graph", "{}, {} vertices, {} edges; a value is updated {}", fact("graph", graph_),
                fact("vertices", graph.vertex_count()), fact("edges", graph.edge_count()),
                fact("update", update_, update_ == "edge" ? "with each edge" : "once"));
    const auto ratio_of = [&](const Row& row) {
      return median(row.trials) / median(rows[row.compared_with].trials);
    };
    const cli::Column ratio_column{.head = "ratio", .format = "{:.2f} x"};
    const cli::Column counters_column{.head = counters.names().empty() ? "" : "counted",
                                      .left = true};
    Table elements(report, "elements",
                   {{.head = "Elements", .left = true},
                    {.head = "ns an update", .format = "{:.2f}"},
                    ratio_column,
                    counters_column});
    Table table(report, "rows",
                {{.head = "Algorithm", .left = true},
                 {.head = "cut", .left = true},
                 {.head = "grain"},
                 {.head = "seconds", .format = "{:.5f}"},
                 ratio_column,
                 counters_column});
    for (const Row& row : rows) {
      const double seconds = median(row.trials);
      const auto ratio = fact("ratio", ratio_of(row));
      const nlohmann::json counts = counts_of(row, counters);
      const std::string text = text_of(counts);
      const bool loop = row.grain == 0;  // over elements
      nlohmann::json& object =
          loop
              ? elements.add(
                    fact("cut", row.cut, row.cut == "apart" ? "a line for each core" : "neighbors"),
                    fact("nanoseconds", seconds * 1e9 / static_cast<double>(updates_)), ratio, text)
              : table.add(row.algorithm, fact("cut", row.cut), fact("grain", row.grain), seconds,
                          ratio, text);
      object["algorithm"] = row.algorithm;
      object["seconds"] = seconds;
      object["counters"] = counts;
      object["trials"] = trials_json(row.trials);
      if (loop) continue;
      object["aligned_grain"] = row.aligned_grain;
      draw(row, ratio.value, report.chart());
    }
    elements.print();
    // Whether the worst there is takes clearly longer than no sharing.
    const bool shows = ratio_of(rows[1]) > 1.5;
    report.set("shows_false_sharing", shows);
    if (!shows)
      report.line("Note",
                  "neighbors cost little or nothing here, as with processors that share their "
                  "caches (hyperthreads), or that do not run at the same time: no ratio below "
                  "tells of false sharing");
    table.print();
    say_missing(counters, report);
    report.line("Checked", "{}",
                fact("checked", true, "all ranks and triangles of every run, every update"));
  }

  /// In a run.
  static nlohmann::json counts_of(const Row& row, const HardwareCounters& counters) {
    nlohmann::json counts = nlohmann::json::object();
    for (std::size_t k = 0; k < row.counts.size(); ++k)
      counts[counters.names()[k]] = row.counts[k] / row.runs;
    return counts;
  }

  static std::string text_of(const nlohmann::json& counts) {
    std::string text;
    for (const auto& [name, count] : counts.items())
      text += fmt::format("{}{} {:.3g}", text.empty() ? "" : "  ", name, count.get<double>());
    return text;
  }

  static void draw(const Row& row, double ratio, cli::Chart& chart) {
    chart.title = "Grains that cut cache lines";
    chart.x = {.title = "vertices in a grain", .scale = cli::Scale::kPowersOf2};
    chart.y = {.title = "time, by that of whole lines"};
    if (chart.panels.empty() || chart.panels.back().title != row.algorithm)
      chart.panels.push_back({.title = row.algorithm, .series = {}, .references = {}});
    chart.panels.back().line(row.cut).points.push_back(
        {static_cast<double>(row.aligned_grain), ratio});
  }

  static void say_missing(const HardwareCounters& counters, Report& report) {
    const auto& missing = counters.missing();
    report.set("missing_counters", nlohmann::json::object());
    std::string text;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      report.at("missing_counters")[missing[i].name] = missing[i].reason;
      text += fmt::format("{}{}", i == 0 ? "" : ", ", missing[i].name);
      if (i + 1 == missing.size() || missing[i + 1].reason != missing[i].reason)
        text += fmt::format(" ({})", missing[i].reason);
    }
    if (!missing.empty()) report.line("Counters", "not available on this machine: {}", text);
  }

  std::string graph_ = "kron:16";
  std::vector<std::int64_t> grains_ = {8, 64, 0};
  std::string update_ = "edge";
  int iterations_ = 10;
  std::int64_t updates_ = 5'000'000;
  std::vector<std::string> events_ = {"LLC-loads", "LLC-stores", "cache-misses"};
  int trials_ = 5;
};

const FalseSharing false_sharing;

}  // namespace
}  // namespace grappa::bench
