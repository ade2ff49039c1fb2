// grappa bc: betweenness centrality.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "cli/vertex_choice.hpp"
#include "cli/vertex_kernel.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/betweenness/betweenness.hpp"
#include "grappa/graph/structure/sample_vertices.hpp"

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

class Betweenness final : public VertexKernel<&graph::BetweennessResult::score> {
 public:
  Betweenness()
      : VertexKernel({.title = "betweenness",
                      .description = kBetweennessDescription,
                      .value = "score",
                      .build = {.in_edges = true, .simplify = true},
                      .from_source = true}) {}

  void add_options(CommandLine& line) override {
    line.add_text("Kernel", "--sources", "V,...", source_names_,
                  "the vertices to start at, by their names in the file");
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

  void take_options(bool) override {
    if (source_names_.empty()) return;
    if (exact_) throw UsageError("--exact and --sources: give one of them");
    if (("," + source_names_ + ",").find(",,") != std::string::npos)
      throw UsageError(fmt::format("--sources {}: an entry is empty", source_names_));
  }

  void prepare(const KernelInput& in) override {
    if (in.source) {
      sources_ = {*in.source};
    } else if (!source_names_.empty()) {
      take_named(in);
    } else {
      sources_ = graph::sample_sources(in.graph, exact_ ? in.graph.vertex_count() : samples_,
                                       static_cast<std::uint64_t>(seed_));
    }
    print_sources(in);
  }

  void run(const KernelInput& in) override {
    const auto show = [this, &in](std::int64_t done) {
      in.report.progress().show(fmt::format("source {} of {}", done, sources_.size()));
    };
    result_ = graph::betweenness(in.graph, sources_, {.on_source = show});
  }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, sources_, result_);
  }

  void summarize(const KernelInput& in, double seconds) override {
    const auto sources = static_cast<double>(std::max<std::size_t>(sources_.size(), 1));
    in.report.set("sources", sources_.size());
    in.report.line("Time a source", "{:.4g} ms",
                   fact("seconds_per_source", seconds / sources, seconds / sources * 1e3));
    in.report.line("Reached", "{:.12g} of {} vertices from a source{}",
                   fact("reached", result_.reached, static_cast<double>(result_.reached) / sources),
                   in.graph.vertex_count(), sources_.size() > 1 ? ", on average" : "");
    in.report.line("Levels", "{}{}", fact("levels", result_.levels),
                   sources_.size() > 1 ? " at most" : "");
    list_highest(in, "Score", "score");
  }

  Lines lines(const KernelInput& in) override {
    return vertex_lines(in, [&score = values(in)](std::string& text, std::size_t v) {
      char digits[32];
      const auto end =
          std::to_chars(digits, digits + sizeof digits, score[v], std::chars_format::general,
                        std::numeric_limits<double>::max_digits10);
      text.append(digits, end.ptr);
    });
  }

 private:
  void take_named(const KernelInput& in) {
    std::string_view rest = source_names_;
    for (;;) {
      const std::size_t comma = rest.find(',');
      sources_.push_back(
          find_vertex("--sources", std::string(rest.substr(0, comma)), in.graph, in.names));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    std::ranges::sort(sources_, {}, [&in](graph::VertexId v) { return in.graph.given(v); });
    const auto twice = std::ranges::adjacent_find(sources_);
    if (twice != sources_.end())
      throw UsageError(
          fmt::format("--sources: {} is given twice", name_of(*twice, in.graph, in.names)));
  }

  void print_sources(const KernelInput& in) const {
    std::string listed;
    if (sources_.size() <= kMaxNamed) {
      for (const graph::VertexId source : sources_)
        listed +=
            fmt::format("{}{}", listed.empty() ? ": " : ", ", name_of(source, in.graph, in.names));
    }
    if (!source_names_.empty()) {
      in.report.line("Sources", "{}{}", sources_.size(), listed);
    } else if (exact_ || std::ssize(sources_) < samples_) {
      in.report.line("Sources", "all {} vertices that have out-edges: the scores are exact",
                     sources_.size());
    } else {
      in.report.line("Sources", "{} samples{} (--samples, --sources, --exact choose)",
                     sources_.size(), listed);
    }
  }

  std::string source_names_;
  std::int64_t samples_ = 16;
  std::int64_t seed_ = 1;
  bool exact_ = false;
  std::vector<graph::VertexId> sources_;
};

}  // namespace

std::unique_ptr<Kernel> make_bc() { return std::make_unique<Betweenness>(); }

}  // namespace grappa::cli
