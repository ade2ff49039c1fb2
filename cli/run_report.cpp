#include "cli/run_report.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grappa/base/text_values.hpp"
#include "grappa/grappa.hpp"

namespace grappa::cli {
namespace {

// More locales than that are summed up in one line.
constexpr int kMaxRows = 16;

struct Portion {
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;
};

std::vector<Portion> portions_of_locales(const graph::Graph& graph) {
  const std::vector<Portion> of_cores = gather_cores([graph] {
    if (this_core() != first_core_of(this_locale())) return Portion{};
    const graph::Adjacency out = graph.out();
    Portion portion{graph.locale_end() - graph.locale_begin(), 0};
    for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v) {
      portion.arcs += out.degree(v);
    }
    return portion;
  });
  std::vector<Portion> portions;
  for (int locale = 0; locale < locale_count(); ++locale) {
    portions.push_back(of_cores[static_cast<std::size_t>(first_core_of(locale))]);
  }
  return portions;
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void print_cores(Report& report) {
  report.set("/cores", core_count());
  report.set("/locales", locale_count());
  if (locale_count() == 1) return report.line("Cores", "{}", core_count());
  report.line("Locales", "{} of {} core{} each: {} cores", locale_count(), cores_per_locale(),
              cores_per_locale() == 1 ? "" : "s", core_count());
}

void print_portions(const graph::Graph& graph, Report& report) {
  if (locale_count() == 1 || report.silent()) return;
  const std::vector<Portion> portions = portions_of_locales(graph);
  if (locale_count() > kMaxRows) {
    const auto [least, most] =
        std::minmax_element(portions.begin(), portions.end(),
                            [](const Portion& a, const Portion& b) { return a.arcs < b.arcs; });
    report.line("Portions", "each locale has {:.3g} to {:.3g} % of the arcs",
                percent(least->arcs, graph.arc_count()), percent(most->arcs, graph.arc_count()));
    return;
  }
  for (std::size_t l = 0; l < portions.size(); ++l) {
    report.line(fmt::format("Locale {}", l), "{} vertices, {} arcs ({:.1f} %)",
                portions[l].vertices, portions[l].arcs,
                percent(portions[l].arcs, graph.arc_count()));
  }
}

}  // namespace grappa::cli
