#include "cli/translate.hpp"

#include <unistd.h>

#include "cli/memory_check.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/output_path.hpp"
#include "grappa/base/trace_file.hpp"
#include "grappa/graph/io/edge_list.hpp"
#include "grappa/grappa.hpp"
#include "grappa/io/output_check.hpp"
#include "grappa/io/runtime_parallel_for.hpp"

namespace grappa::cli {

void Translation::add_options(CommandLine& line, const std::string& format_flag) {
  line.add_positional("OUT", path_,
                      "the file to write, compressed if it ends in .gz or .zst; - is "
                      "standard output");
  format_flag_ = format_flag;
  line.add_text("Writing", format_flag, "FORMAT", format_,
                "format of OUT, where its name does not tell");
  line.add_switch("Writing", "--simplify", simplify_,
                  "leave out self-loops, and all but the lightest of equal edges");
  line.add_switch(kOutputGroup, "-q,--quiet", quiet_, "print only errors and warnings");
}

graph::Format Translation::target_format() const {
  if (!format_.empty()) return graph::parse_format(format_);
  return path_ == "-" ? graph::Format::kText : graph::format_of_path(path_, format_flag_);
}

void Translation::execute(const Config& config) {
  const graph::SaveOptions save{.path = path_, .format = target_format()};
  const bool is_silent =
      quiet_ || internal::descriptor_of(internal::follow_links(path_)) == STDOUT_FILENO;
  std::vector<io::NamedOutput> outputs = {
      {internal::trace_option(config.trace.c_str()), config.trace.c_str()},
      {"standard output", is_silent ? "" : "-"}};
  for (const std::string& file : graph::files_to_save(save)) outputs.push_back({"OUT", file});
  io::check_outputs(outputs, source_.files());
  Report report(is_silent, quiet_);
  Progress& progress = report.progress();
  run(config, [&] {
    print_cores(report);
    check_memory(source_, kNoBuild, config.stats, report);
    const std::uint64_t start = internal::now_ns();
    graph::EdgeList list = source_.load(progress, quiet_);
    const std::uint64_t loaded = internal::now_ns();
    progress.show(simplify_ ? "simplifying" : "writing");
    if (simplify_ || list.needs_simplify) {
      graph::simplify(list, io::runtime_parallel_for());
      list.needs_simplify = false;
    }
    report.line("Graph", "{}, {}", source_.name(), list.directed ? "directed" : "undirected");
    report.line("Vertices", "{}", list.vertex_count);
    report.line("Edges", "{}", list.edges.size());
    progress.show("writing " + path_);
    const std::string note =
        graph::save_edge_list(std::move(list), save, io::runtime_parallel_for());
    progress.clear();
    if (!note.empty() && !quiet_) internal::log_info("{}: {}", path_, note);
    report.line("Load time", "{}", format_seconds(static_cast<double>(loaded - start) * 1e-9));
    report.line("Written", "{} in {}", path_, format_seconds(internal::seconds_since(loaded)));
  });
}

}  // namespace grappa::cli
