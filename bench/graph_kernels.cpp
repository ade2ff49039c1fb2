#include "bench/graph_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "bench/measure.hpp"

namespace grappa::bench {
namespace {

/// How a kernel is measured, where it is not by its command without options.
struct Variation {
  std::string kernel;  // of the table
  std::string name;
  std::string title;  // goes on from the kernel's own
  cli::Arguments options;
};

std::vector<Variation> variations() {
  const std::string damping = fmt::format("{}", kPageRankDamping);
  const std::string tolerance = fmt::format("{}", kPageRankTolerance);
  return {{"pagerank",
           "pagerank20",
           ", 20 iterations",
           {"--damping", damping, "--tolerance", "0", "--iterations", "20"}},
          {"pagerank",
           "pagerank",
           ", tolerance 1e-4",
           {"--damping", damping, "--tolerance", tolerance, "--iterations", "1000"}},
          {"triangles", "triangles", ", total", {"--total"}},
          {"bc", "bc", ", one source", {}}};
}

}  // namespace

std::vector<MeasuredKernel> measured_kernels() {
  std::vector<MeasuredKernel> all;
  const std::vector<Variation> variants = variations();
  for (const cli::KernelEntry& entry : cli::kernels()) {
    const std::string name(entry.name);
    const auto add = [&](const Variation& how) {
      const cli::KernelInfo info = entry.make()->info();
      all.push_back({how.name, std::string(info.title) + how.title, &entry, info, how.options});
    };
    if (std::ranges::count(variants, name, &Variation::kernel) == 0) add({name, name, "", {}});
    for (const Variation& how : variants) {
      if (how.kernel == name) add(how);
    }
  }
  return all;
}

PreparedKernel::PreparedKernel(const MeasuredKernel& kernel, const graph::Graph& graph,
                               graph::VertexId source)
    : name_(kernel.name),
      kernel_(kernel.entry->make()),
      names_(graph::VertexNames::range(0, graph.vertex_count())),
      graph_(graph),
      in_{.graph = graph_, .names = names_, .report = report_, .source = source} {
  cli::CommandLine line(name_, "", kernel_->info().description);
  kernel_->add_options(line);
  line.parse(kernel.options);
  kernel_->take_options(false);
  kernel_->prepare(in_);
}

double PreparedKernel::run() {
  return seconds_of([this] { kernel_->run(in_); });
}

std::vector<double> PreparedKernel::values() {
  if (!kernel_->info().why_no_lines.empty())
    return {kernel_->trial_facts(0).at(name_).get<double>()};
  const cli::Lines lines = kernel_->lines(in_);
  std::vector<double> values(static_cast<std::size_t>(lines.count));
  std::string text;
  for (std::size_t v = 0; v < values.size(); ++v) {
    text.clear();
    lines.append(text, static_cast<std::int64_t>(v));
    std::from_chars(text.data() + text.find('\t') + 1, text.data() + text.size(), values[v]);
  }
  return values;
}

}  // namespace grappa::bench
