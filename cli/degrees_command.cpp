// grappa degrees: how the degrees of the vertices are distributed.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"

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

nlohmann::json histogram_json(const graph::DegreeStatistics& s) {
  nlohmann::json histogram = nlohmann::json::array();
  const std::vector<std::int64_t> bins = histogram_of(s, bin_of(s.greatest) + 1);
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (bins[bin] == 0) continue;
    histogram.push_back(
        {{"from", bin_begin(bin)}, {"to", bin_end(bin) - 1}, {"vertices", bins[bin]}});
  }
  return histogram;
}

nlohmann::json distribution_json(const graph::DegreeStatistics& s) {
  nlohmann::json distribution = nlohmann::json::array();
  for (const auto& [degree, vertices] : s.distribution) distribution.push_back({degree, vertices});
  return distribution;
}

/// A row of people's table is an object of the result.
void add_statistics(Report& report, Table& table, const char* title, const std::string& name,
                    const graph::DegreeStatistics& s) {
  report.at(name) =
      table.add(title, fact("min", s.least), fact("median", s.median), fact("p90", s.percentile_90),
                fact("p99", s.percentile_99), fact("max", s.greatest), fact("mean", s.mean),
                fact("standard_deviation", s.standard_deviation), fact("gini", s.gini),
                fact("top_percent_fraction", s.top_fraction, 100 * s.top_fraction));
  report.at(name)["histogram"] = histogram_json(s);
  report.at(name)["distribution"] = distribution_json(s);
}

class Degrees final : public KernelOf<graph::DegreesResult> {
 public:
  Degrees()
      : KernelOf({.title = "degree statistics",
                  .description = kDegreesDescription,
                  .value = "degree",
                  .build = {.in_edges = true}}) {}

  void run(const KernelInput& in) override { result_ = graph::degree_statistics(in.graph); }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  void summarize(const KernelInput& in, double) override {
    const bool directed = in.graph.is_directed();
    in.report.line("Isolated", "{} vertices", fact("isolated", result_.isolated));
    Table table(in.report, "",
                {{""},
                 {"Least"},
                 {"Median"},
                 {"90 %"},
                 {"99 %"},
                 {"Greatest"},
                 {"Mean", "{:.2f}"},
                 {"Deviation", "{:.2f}"},
                 {"Gini", "{:.4f}"},
                 {"Top 1 %", "{:.1f} %"}});
    add_statistics(in.report, table, directed ? "Out-degree" : "Degree",
                   directed ? "out_degree" : "degree", result_.out);
    if (directed) add_statistics(in.report, table, "In-degree", "in_degree", result_.in);
    table.print();
    print_histogram(directed, in.report);
    list_busiest(in);
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

  ResultColumns columns(const KernelInput& in) override {
    collect(in);
    ResultColumns made;
    made.push_back({in.graph.is_directed() ? "out_degree" : info().value, out_});
    if (in.graph.is_directed()) made.push_back({"in_degree", in_});
    return made;
  }

 private:
  void collect(const KernelInput& in) {
    if (!out_.empty()) return;
    out_ = graph::vertex_degrees(in.graph, graph::DegreeOf::kOut);
    if (in.graph.is_directed()) in_ = graph::vertex_degrees(in.graph, graph::DegreeOf::kIn);
  }

  void print_histogram(bool directed, Report& report) const {
    const std::size_t bins = bin_of(std::max(result_.out.greatest, result_.in.greatest)) + 1;
    const std::vector<std::int64_t> out = histogram_of(result_.out, bins);
    const std::vector<std::int64_t> in = histogram_of(result_.in, bins);
    std::vector<Column> columns = {{"Degree"}, {directed ? "Vertices, out" : "Vertices"}};
    if (directed) columns.push_back({"Vertices, in"});
    Table table(report, "", std::move(columns));
    for (std::size_t bin = 0; bin < bins; ++bin) {
      if (out[bin] == 0 && in[bin] == 0) continue;
      const std::int64_t last = bin_end(bin) - 1;
      const std::string degrees = bin_begin(bin) == last
                                      ? fmt::format("{}", last)
                                      : fmt::format("{} to {}", bin_begin(bin), last);
      if (directed)
        table.add(degrees, out[bin], in[bin]);
      else
        table.add(degrees, out[bin]);
    }
    table.print();
  }

  // The vertices with most out-edges.
  void list_busiest(const KernelInput& in) {
    const bool directed = in.graph.is_directed();
    std::vector<Column> columns = {{"Vertex"}, {directed ? "Out-degree" : "Degree"}};
    if (directed) columns.push_back({"In-degree"});
    Table table(in.report, "top", std::move(columns));
    if (in.top == 0) return;
    collect(in);
    for (const std::int64_t vertex : highest(out_, in.top)) {
      const auto v = static_cast<std::size_t>(vertex);
      const auto name = vertex_fact("vertex", in.names, vertex);
      if (directed)
        table.add(name, fact("out_degree", out_[v]), fact("in_degree", in_[v]));
      else
        table.add(name, fact("degree", out_[v]));
    }
    table.print();
  }

  std::vector<std::int64_t> out_;  // [vertices], once collected
  std::vector<std::int64_t> in_;   // of directed graphs
};

}  // namespace

std::unique_ptr<Kernel> make_degrees() { return std::make_unique<Degrees>(); }

}  // namespace grappa::cli
