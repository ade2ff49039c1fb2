#pragma once

// A graph kernel as the tool sees it, and the harness that runs one: everything that bfs, pagerank,
// cc … have in common.
//
//   const int status = run_kernel(entry.name, *entry.make(), arguments);
//
// A kernel is a class in NAME_command.cpp, mostly a VertexKernel (vertex_kernel.hpp), and a line in
// the table (kernels.cpp), from which everything else comes.
//
// run_kernel parses the options, checks the memory, starts the runtime, loads and builds the graph,
// runs the trials, verifies on request, and prints and writes what the kernel found. A kernel is
// what it needs (KernelInfo) and the functions below; they are called in this order, from prepare()
// on by one task inside of a run. What belongs to the last trial is kept until discard().

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/columns.hpp"
#include "cli/command_line.hpp"
#include "cli/report.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/checkpoint/checkpoint.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::cli {

/// What a kernel is and needs.
struct KernelInfo {
  std::string_view title;  // "breadth-first search"
  /// For help: what is computed, by which definition, and what the value in -o is.
  const char* description;
  const char* value;  // what a vertex gets, in one word: "depth"
  graph::BuildOptions build = {};
  bool wants_weights = false;  // whether those of the edges are read, if there are any
  double least_weight = std::numeric_limits<double>::lowest();  // smaller ones are refused
  bool from_source = false;      // whether it starts at a vertex, and so at KernelInput::source
  bool has_checkpoints = false;  // whether it can resume an earlier run
  /// For help: what -o writes.
  const char* lines = "a line \"vertex<TAB>value\" for every vertex, in ascending order";
  /// Why there is nothing for -o, where the options ask for less; else empty.
  std::string_view why_no_lines = {};
};

/// What a kernel works on, and what it is told of its run.
struct KernelInput {
  const graph::Graph& graph;
  const graph::VertexNames& names;
  Report& report;
  std::int64_t top = 0;                        // how much is printed of a list
  graph::Checkpoint* checkpoint = nullptr;     // to save in, and to resume from
  std::optional<graph::VertexId> source = {};  // if it is not the options that say it
};

/// What -o writes: so many lines, each appended without its end. append() may be called from any
/// core.
struct Lines {
  std::int64_t count;
  std::function<void(std::string& text, std::int64_t line)> append;
};

class Kernel {
 public:
  explicit Kernel(const KernelInfo& info) : info_(info) {}
  virtual ~Kernel() = default;
  const KernelInfo& info() const { return info_; }

  virtual void add_options(CommandLine&) {}
  /// Once they are parsed, before anything is made or loaded: throws UsageError for those that do
  /// not go together. What it needs may depend on them.
  virtual void take_options(bool with_checkpoints) { static_cast<void>(with_checkpoints); }

  /// Before the first trial: chooses the source and the like, and says so.
  virtual void prepare(const KernelInput&) {}
  /// One trial.
  virtual void run(const KernelInput& in) = 0;
  /// Frees its result.
  virtual void discard() = 0;
  /// What to say of the last trial, besides its seconds.
  virtual nlohmann::json trial_facts(double seconds) const;
  virtual graph::Verification verify(const KernelInput& in) = 0;
  /// The summary. `seconds` is the median.
  virtual void summarize(const KernelInput& in, double seconds) = 0;
  /// Brings what -o writes to this locale. Valid until discard().
  virtual Lines lines(const KernelInput& in) = 0;
  /// The same as arrays; none where there is nothing for -o. Once for each trial.
  virtual ResultColumns columns(const KernelInput& in) = 0;

 protected:
  KernelInfo info_;
};

/// The lines "vertex<TAB>value" of all vertices; append_value(text, v) appends the value.
template <class F>
Lines vertex_lines(const KernelInput& in, F append_value) {
  return {in.graph.vertex_count(), [&names = in.names, append = std::move(append_value)](
                                       std::string& text, std::int64_t vertex) {
            names.append(text, static_cast<graph::VertexId>(vertex));
            text += '\t';
            append(text, static_cast<std::size_t>(vertex));
          }};
}

/// As the command `name`.
int run_kernel(std::string_view name, Kernel& kernel, const Arguments& arguments);

}  // namespace grappa::cli
