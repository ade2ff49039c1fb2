#include "cli/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/checkpoint_options.hpp"
#include "cli/graph_source.hpp"
#include "cli/memory_check.hpp"
#include "cli/order_option.hpp"
#include "cli/output_options.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/formats/writers.hpp"
#include "grappa/grappa.hpp"
#include "grappa/io/runtime_parallel_for.hpp"

namespace grappa::cli {
namespace {

constexpr std::int64_t kMaxTrials = 1'000'000;
constexpr std::int64_t kMaxSplitDegree = std::int64_t{1} << 40;

class KernelRun {
 public:
  KernelRun(std::string_view name, Kernel& kernel) : name_(name), kernel_(kernel) {}

  int execute(const Arguments& arguments);

 private:
  void add_options(CommandLine& line);
  // What runs as the runtime's first task.
  void run_task(const Config& config);
  graph::BuildOptions build_options() const;
  void load();
  void print_graph();
  void print_weights();
  void run_trials(const KernelInput& in);
  void print_times();
  void print_checkpoints();
  void verify(const KernelInput& in);
  void write_values(const KernelInput& in);

  std::string name_;
  Kernel& kernel_;
  GraphSource source_;
  OrderOption order_option_;
  std::int64_t split_degree_ = 0;
  OutputOptions output_;
  CheckpointFlags checkpoint_flags_;
  std::int64_t trials_ = 1;
  std::int64_t top_ = 10;
  bool verify_ = false;

  std::optional<graph::Checkpoint> checkpoint_;
  std::optional<Report> report_;
  graph::VertexNames names_;
  Owned<graph::Graph> graph_;
  bool symmetrized_ = false;
  double load_seconds_ = 0;
  double build_seconds_ = 0;
  std::vector<double> seconds_;
};

void KernelRun::add_options(CommandLine& line) {
  kernel_.add_options(line);
  if (kernel_.info().has_checkpoints) checkpoint_flags_.add_options(line);
  source_.add_options(line);
  order_option_.add_to(line);
  line.add_count("Graph", "--split-hubs", "DEGREE", split_degree_, 0, kMaxSplitDegree,
                 "with several locales, store the edges of vertices with DEGREE edges or more at "
                 "both ends, so that such a hub sends one message a core and not one an edge; 0: "
                 "none");
  line.unused_when("--split-hubs",
                   [&line] { return line.locales() > 1 ? "" : "there is one locale"; });
  line.add_count("Measuring", "--trials", "N", trials_, 1, kMaxTrials,
                 "run the kernel N times; the median time counts, the last result is printed");
  line.add_switch("Measuring", "--verify", verify_,
                  "check the result with an independent, serial verifier");
  output_.add_options(line, OutputOptions::kValues, kernel_.info().lines);
  line.add_count(kOutputGroup, "--top", "K", top_, 0, 1'000'000, "print the first K of a list");
}

int KernelRun::execute(const Arguments& arguments) {
  CommandLine line(name_, "GRAPH", kernel_.info().description);
  add_options(line);
  if (!line.parse(arguments)) return 0;
  kernel_.take_options(checkpoint_flags_.is_given());
  const KernelInfo& info = kernel_.info();
  if (output_.has_values() && !info.why_no_lines.empty())
    throw UsageError(fmt::format("-o: {}", info.why_no_lines));
  source_.want_weights(info.wants_weights, info.least_weight);
  const std::vector<std::string> inputs = source_.files();
  output_.add_other({"--checkpoint", checkpoint_flags_.folder()});
  output_.check(line.config(), inputs);
  checkpoint_ = checkpoint_flags_.open(name_, trials_);  // makes the folder
  output_.open_for_run(line.config(), inputs);
  report_.emplace(!output_.wants_summary(), output_.quiet());
  report_->set("/kernel", name_);
  run(line.config(), [&] { run_task(line.config()); });
  output_.commit(*report_);
  return 0;
}

void KernelRun::run_task(const Config& config) {
  print_cores(*report_);
  check_memory(source_, build_options(), config.stats, *report_);
  load();
  print_graph();
  if (kernel_.info().wants_weights) print_weights();
  const KernelInput in{.graph = *graph_,
                       .names = names_,
                       .report = *report_,
                       .top = top_,
                       .checkpoint = checkpoint_ ? &*checkpoint_ : nullptr};
  run_trials(in);
  print_times();
  if (checkpoint_) print_checkpoints();
  if (verify_) verify(in);
  kernel_.summarize(in, median(seconds_));
  write_values(in);
  kernel_.discard();
  graph_.reset();
  output_.take_metrics(fmt::format("{} {}", name_, source_.name()), *report_);
}

graph::BuildOptions KernelRun::build_options() const {
  graph::BuildOptions options = kernel_.info().build;
  options.order = order_option_.order();
  options.split_degree = split_degree_;
  return options;
}

void KernelRun::load() {
  std::uint64_t start = internal::now_ns();
  if (auto stored = source_.load_stored(build_options(), report_->progress(), output_.quiet())) {
    graph_ = std::move(stored->graph);
    names_ = std::move(stored->names);
    load_seconds_ = internal::seconds_since(start);
    return;
  }
  graph::EdgeParts list = source_.load_parts(report_->progress(), output_.quiet());
  load_seconds_ = internal::seconds_since(start);
  start = internal::now_ns();
  report_->progress().show("building");
  symmetrized_ = list.directed && build_options().symmetrize;
  graph_ = graph::build_graph(list, build_options());
  build_seconds_ = internal::seconds_since(start);
  report_->progress().clear();
  names_ = std::move(list.names);
}

void KernelRun::print_graph() {
  report_->line("Graph", "{}, {}", fact("/graph/name", source_.name()),
                graph_->is_directed() ? "directed"
                : symmetrized_        ? "directed, taken as undirected"
                                      : "undirected");
  report_->line("Vertices", "{}", fact("/graph/vertices", graph_->vertex_count()));
  report_->line("Edges", "{}", fact("/graph/edges", graph_->edge_count()));
  report_->set("/graph/arcs", graph_->arc_count());
  if (!graph_->is_directed()) report_->line("Arcs", "{}", graph_->arc_count());
  report_->set("/split_hubs", graph_->hubs().size());
  print_portions(*graph_, *report_);
  report_->line("Load time", "{}", seconds_fact("/load_seconds", load_seconds_));
  report_->line("Build time", "{}", seconds_fact("/build_seconds", build_seconds_));
}

void KernelRun::print_weights() {
  const bool weighted = graph_->weight_type() != graph::WeightType::kNone;
  report_->set("weighted", weighted);
  if (!weighted) {
    report_->line("Weights", "none in the graph: every edge weighs 1");
  } else {
    const auto range = graph_->weight_range();
    report_->line("Weights", "{} to {}", range.least, range.greatest);
  }
}

void KernelRun::run_trials(const KernelInput& in) {
  kernel_.prepare(in);
  for (std::int64_t trial = 0; trial < trials_; ++trial) {
    if (trial > 0) kernel_.discard();
    report_->progress().show(fmt::format("trial {} of {}", trial + 1, trials_));
    const std::uint64_t start = internal::now_ns();
    kernel_.run(in);
    seconds_.push_back(internal::seconds_since(start));
    nlohmann::json facts = kernel_.trial_facts(seconds_.back());
    facts["seconds"] = seconds_.back();
    report_->at("/trials").push_back(std::move(facts));
  }
  report_->progress().clear();
}

void KernelRun::print_times() {
  const std::string middle = format_seconds(median(seconds_));
  if (seconds_.size() == 1) {
    report_->line("Time", "{}", middle);
    return;
  }
  const auto [least, most] = std::minmax_element(seconds_.begin(), seconds_.end());
  report_->line("Time", "{}, the median of {} trials from {} to {}", middle, seconds_.size(),
                format_seconds(*least), format_seconds(*most));
}

void KernelRun::print_checkpoints() {
  report_->set("/checkpoints/written", checkpoint_->written());
  if (const auto iteration = checkpoint_->resumes_after())
    report_->line("Resumed", "after iteration {}, from {}",
                  fact("/checkpoints/resumed_after", *iteration), checkpoint_->options().resume);
  if (!checkpoint_->options().write.empty())
    report_->line("Checkpoints", "{} written to {}", checkpoint_->written(),
                  checkpoint_->options().write);
}

void KernelRun::verify(const KernelInput& in) {
  report_->progress().show("verifying");
  const graph::Verification found = kernel_.verify(in);
  report_->progress().clear();
  if (!found.passed()) {
    throw Error(fmt::format("{}: the result is wrong: {}", name_, found.failure));
  }
  report_->line("Verified", "{}", fact("verified", found.checked));
}

void KernelRun::write_values(const KernelInput& in) {
  io::OutputFile* out = output_.values();
  if (out == nullptr) return;
  report_->progress().show(fmt::format("writing {}", out->path()));
  const Lines lines = kernel_.lines(in);
  graph::io::write_lines(*out, lines.count, io::runtime_parallel_for(),
                         [&lines](std::string& text, std::int64_t line) {
                           lines.append(text, line);
                           text += '\n';
                         });
  report_->progress().clear();
}

}  // namespace

nlohmann::json Kernel::trial_facts(double) const { return nlohmann::json::object(); }

int run_kernel(std::string_view name, Kernel& kernel, const Arguments& arguments) {
  return KernelRun(name, kernel).execute(arguments);
}

}  // namespace grappa::cli
