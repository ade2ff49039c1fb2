// grappa degrees: how the degrees of the vertices are distributed.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/vertex_kernel.hpp"
#include "grappa/graph/kernel/degree_statistics.hpp"
#include "grappa/graph/verify/verify_degree_statistics.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kDegreesDescription =
    "Degree statistics: how many edges the vertices have, and how unequally. A degree counts "
    "what is stored: an undirected edge at both its ends, a self-loop once, equal edges each. Of "
    "a directed graph, out-degrees and in-degrees.\n\n"
    "Median: the mean of the middle two of an even number. 90 %, 99 %: the smallest degree that "
    "so many vertices or more do not exceed. Deviation: of the whole population. Gini: the Gini "
    "coefficient, 0 where all degrees are equal, near 1 where few vertices have nearly all "
    "edges. Top 1 %: the part of all edge ends that the 1 % of the vertices with the highest "
    "degrees have.\n\n"
    "Value in -o: the degree; of a directed graph the out-degree, a tab, the in-degree. --json "
    "has the exact distribution.";

// The number of the histogram's bin that has the degree: 0; 1; 2, 3; 4 … 7; …
std::size_t bin_of(std::int64_t degree) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(degree)));
}
std::int64_t bin_begin(std::size_t bin) { return bin == 0 ? 0 : std::int64_t{1} << (bin - 1); }
std::int64_t bin_end(std::size_t bin) { return bin == 0 ? 1 : std::int64_t{1} << bin; }

std::vector<std::int64_t> histogram_of(const graph::DegreeStatistics& s, std::size_t bins) {
  std::vector<std::int64_t> histogram(bins);
  for (const auto& [degree, vertices] : s.distribution) histogram[bin_of(degree)] += vertices;
  return histogram;
}

std::vector<std::string> row_of(const std::string& name, const graph::DegreeStatistics& s) {
  return {name,
          fmt::format("{}", s.least),
          fmt::format("{}", s.median),
          fmt::format("{}", s.percentile_90),
          fmt::format("{}", s.percentile_99),
          fmt::format("{}", s.greatest),
          fmt::format("{:.2f}", s.mean),
          fmt::format("{:.2f}", s.standard_deviation),
          fmt::format("{:.4f}", s.gini),
          fmt::format("{:.1f} %", 100 * s.top_fraction)};
}

nlohmann::json json_of(const graph::DegreeStatistics& s) {
  nlohmann::json distribution = nlohmann::json::array();
  for (const auto& [degree, vertices] : s.distribution) distribution.push_back({degree, vertices});
  nlohmann::json histogram = nlohmann::json::array();
  const std::vector<std::int64_t> bins = histogram_of(s, bin_of(s.greatest) + 1);
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (bins[bin] == 0) continue;
    histogram.push_back(
        {{"from", bin_begin(bin)}, {"to", bin_end(bin) - 1}, {"vertices", bins[bin]}});
  }
  return {{"min", s.least},
          {"max", s.greatest},
          {"mean", s.mean},
          {"median", s.median},
          {"p90", s.percentile_90},
          {"p99", s.percentile_99},
          {"standard_deviation", s.standard_deviation},
          {"gini", s.gini},
          {"top_percent_fraction", s.top_fraction},
          {"histogram", std::move(histogram)},
          {"distribution", std::move(distribution)}};
}

class Degrees final : public KernelOf<graph::DegreesResult> {
 public:
  Degrees()
      : KernelOf({.title = "degree statistics",
                  .description = kDegreesDescription,
                  .build = {.in_edges = true}}) {}

  void run(const KernelInput& in) override { result_ = graph::degree_statistics(in.graph); }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  nlohmann::json summarize(const KernelInput& in, double) override {
    const bool directed = in.graph.is_directed();
    in.report.line("Isolated", "{} vertices", result_.isolated);
    std::vector<std::vector<std::string>> rows = {
        row_of(directed ? "Out-degree" : "Degree", result_.out)};
    if (directed) rows.push_back(row_of("In-degree", result_.in));
    in.report.table(
        {"", "Least", "Median", "90 %", "99 %", "Greatest", "Mean", "Deviation", "Gini", "Top 1 %"},
        rows);
    print_histogram(directed, in.report);
    nlohmann::json result = {{"isolated", result_.isolated}};
    result[directed ? "out_degree" : "degree"] = json_of(result_.out);
    if (directed) result["in_degree"] = json_of(result_.in);
    result["top"] = list_busiest(in);
    return result;
  }

  Lines lines(const KernelInput& in) override {
    collect(in);
    return vertex_lines(in, [this](std::string& text, std::size_t v) {
      graph::append_integer(text, static_cast<std::uint64_t>(out_[v]));
      if (in_.empty()) return;
      text += '\t';
      graph::append_integer(text, static_cast<std::uint64_t>(in_[v]));
    });
  }

 private:
  void collect(const KernelInput& in) {
    if (!out_.empty()) return;
    out_ = graph::vertex_degrees(in.graph, graph::DegreeOf::kOut);
    if (in.graph.is_directed()) in_ = graph::vertex_degrees(in.graph, graph::DegreeOf::kIn);
  }

  void print_histogram(bool directed, const Report& report) const {
    const std::size_t bins = bin_of(std::max(result_.out.greatest, result_.in.greatest)) + 1;
    const std::vector<std::int64_t> out = histogram_of(result_.out, bins);
    const std::vector<std::int64_t> in = histogram_of(result_.in, bins);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      if (out[bin] == 0 && in[bin] == 0) continue;
      const std::int64_t last = bin_end(bin) - 1;
      rows.push_back({bin_begin(bin) == last ? fmt::format("{}", last)
                                             : fmt::format("{} to {}", bin_begin(bin), last),
                      fmt::format("{}", out[bin])});
      if (directed) rows.back().push_back(fmt::format("{}", in[bin]));
    }
    if (rows.empty()) return;
    if (directed) {
      report.table({"Degree", "Vertices, out", "Vertices, in"}, rows);
    } else {
      report.table({"Degree", "Vertices"}, rows);
    }
  }

  // The vertices with most out-edges.
  nlohmann::json list_busiest(const KernelInput& in) {
    nlohmann::json list = nlohmann::json::array();
    if (in.top == 0) return list;
    collect(in);
    const bool directed = in.graph.is_directed();
    std::vector<std::vector<std::string>> rows;
    for (const std::int64_t vertex : highest(out_, in.top)) {
      const auto v = static_cast<std::size_t>(vertex);
      rows.push_back(
          {in.names.name(static_cast<graph::VertexId>(vertex)), fmt::format("{}", out_[v])});
      list.push_back(
          {{"vertex", json_name(in.names, vertex)}, {directed ? "out_degree" : "degree", out_[v]}});
      if (!directed) continue;
      rows.back().push_back(fmt::format("{}", in_[v]));
      list.back()["in_degree"] = in_[v];
    }
    if (rows.empty()) return list;
    if (directed) {
      in.report.table({"Vertex", "Out-degree", "In-degree"}, rows);
    } else {
      in.report.table({"Vertex", "Degree"}, rows);
    }
    return list;
  }

  graph::DegreesResult result_;
  std::vector<std::int64_t> out_;  // [vertices], once collected
  std::vector<std::int64_t> in_;   // of directed graphs
};

}  // namespace

std::unique_ptr<Kernel> make_degrees() { return std::make_unique<Degrees>(); }

}  // namespace grappa::cli
