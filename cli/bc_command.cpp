// grappa bc: betweenness centrality.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "cli/highest.hpp"
#include "cli/kernel.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/kernel/betweenness.hpp"
#include "grappa/graph/sample_vertices.hpp"
#include "grappa/graph/verify/verify_betweenness.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kBetweennessDescription =
    "Betweenness centrality: on how many shortest paths each vertex lies. Of each pair of a "
    "source and another vertex, a vertex between them gets the fraction of the shortest paths "
    "that pass through it (Brandes, 2001). The scores are the sums, not normalized, and halved "
    "where the graph is undirected. Paths follow out-edges and weights are ignored, as are "
    "self-loops; equal edges are one.\n\n"
    "The work is a search from each source. Sources are those of --sources, or --samples N: the "
    "N vertices with out-edges whose random numbers, a function of --sample-seed and the vertex, "
    "are smallest, the same on any number of cores and locales. Scores are then the part that "
    "these sources contribute; times vertices/sources they estimate the exact ones. --exact "
    "takes every vertex; so does a sample that is as large as the graph.\n\n"
    "Value in -o: the score.";

// A list of sources longer than this is not printed.
constexpr std::size_t kMaxNamed = 8;

class Betweenness final : public Kernel {
 public:
  std::string name() const override { return "bc"; }
  std::string description() const override { return kBetweennessDescription; }

  void add_options(CommandLine& line) override {
    line.add_text("Kernel", "--sources", "V,...", source_names_,
                  "the vertices to start at, by their names in the file");
    line.take_once("--sources");
    line.add_count("Kernel", "--samples", "N", samples_, 1,
                   std::numeric_limits<std::int64_t>::max(), "start at N vertices drawn at random");
    line.add_count("Kernel", "--sample-seed", "N", seed_, 0,
                   std::numeric_limits<std::int64_t>::max(), "another seed draws other samples");
    line.add_switch("Kernel", "--exact", exact_, "start at every vertex");
    for (const char* flag : {"--samples", "--sample-seed"}) {
      line.unused_when(flag, [this] {
        return exact_                   ? "--exact starts at every vertex"
               : !source_names_.empty() ? "--sources names the vertices"
                                        : "";
      });
    }
  }

  graph::BuildOptions build_options() const override {
    return {.in_edges = true, .simplify = true};
  }

  void check_options(bool) const override {
    if (source_names_.empty()) return;
    if (exact_) throw UsageError("--exact and --sources: give one of them");
    if (("," + source_names_ + ",").find(",,") != std::string::npos)
      throw UsageError(fmt::format("--sources {}: an entry is empty", source_names_));
  }

  void prepare(const graph::Graph& graph, const graph::VertexNames& names,
               Report& report) override {
    if (!source_names_.empty()) {
      take_named(graph, names);
    } else {
      sources_ = graph::sample_sources(graph, exact_ ? graph.vertex_count() : samples_,
                                       static_cast<std::uint64_t>(seed_));
    }
    print_sources(graph, names, report);
  }

  void run(const graph::Graph& graph, Progress& progress) override {
    options_.on_source = [this, &progress](std::int64_t done) {
      progress.show(fmt::format("source {} of {}", done, sources_.size()));
    };
    result_ = graph::betweenness(graph, sources_, options_);
    options_.on_source = {};
  }
  void discard() override { result_ = {}; }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, sources_, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames& names, double seconds,
                 std::int64_t top, Report& report) override {
    const auto sources = static_cast<double>(std::max<std::size_t>(sources_.size(), 1));
    report.set("sources", sources_.size());
    report.line("Time a source", "{:.4g} ms",
                fact("seconds_per_source", seconds / sources, seconds / sources * 1e3));
    report.line("Reached", "{:.12g} of {} vertices from a source{}",
                fact("reached", result_.reached, static_cast<double>(result_.reached) / sources),
                graph.vertex_count(), sources_.size() > 1 ? ", on average" : "");
    report.line("Levels", "{}{}", fact("levels", result_.levels),
                sources_.size() > 1 ? " at most" : "");
    Table table(report, "top", {{"Vertex"}, {"Score", "{:.6g}"}});
    if (top == 0) return;
    collect_values(graph);
    for (const std::int64_t v : highest(score_, top))
      table.add(vertex_fact("vertex", names, v),
                fact("score", score_[static_cast<std::size_t>(v)]));
    table.print();
  }

  void collect_values(const graph::Graph& graph) override {
    if (score_.empty()) score_ = graph::collect(*result_.score, graph);
  }

  void append_value(std::string& line, const graph::VertexNames&,
                    std::int64_t vertex) const override {
    char digits[32];
    const auto end =
        std::to_chars(digits, digits + sizeof digits, score_[static_cast<std::size_t>(vertex)],
                      std::chars_format::general, std::numeric_limits<double>::max_digits10);
    line.append(digits, end.ptr);
  }

 private:
  void take_named(const graph::Graph& graph, const graph::VertexNames& names) {
    std::string_view rest = source_names_;
    for (;;) {
      const std::size_t comma = rest.find(',');
      sources_.push_back(
          find_vertex("--sources", std::string(rest.substr(0, comma)), graph, names));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    std::ranges::sort(sources_, {}, [&graph](graph::VertexId v) { return graph.given(v); });
    const auto twice = std::ranges::adjacent_find(sources_);
    if (twice != sources_.end())
      throw UsageError(fmt::format("--sources: {} is given twice", name_of(*twice, graph, names)));
  }

  void print_sources(const graph::Graph& graph, const graph::VertexNames& names,
                     Report& report) const {
    std::string listed;
    if (sources_.size() <= kMaxNamed) {
      for (const graph::VertexId source : sources_)
        listed += fmt::format("{}{}", listed.empty() ? ": " : ", ", name_of(source, graph, names));
    }
    if (!source_names_.empty()) {
      report.line("Sources", "{}{}", sources_.size(), listed);
    } else if (exact_ || std::ssize(sources_) < samples_) {
      report.line("Sources", "all {} vertices that have out-edges: the scores are exact",
                  sources_.size());
    } else {
      report.line("Sources", "{} samples{} (--samples, --sources, --exact choose)", sources_.size(),
                  listed);
    }
  }

  std::string source_names_;
  std::int64_t samples_ = 16;
  std::int64_t seed_ = 1;
  bool exact_ = false;
  std::vector<graph::VertexId> sources_;
  graph::BetweennessOptions options_;
  graph::BetweennessResult result_;
  std::vector<double> score_;  // [vertices], once collected
};

}  // namespace

int run_bc(const Arguments& arguments) {
  Betweenness betweenness;
  return run_kernel(betweenness, arguments);
}

}  // namespace grappa::cli
