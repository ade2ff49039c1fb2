#pragma once

// The harness of graph kernels: everything that bfs, pagerank, cc … have in common.
//   class Cc final : public Kernel { … };
//   int run_cc(const Arguments& arguments) { return run_kernel(Cc(), arguments); }
//
// run_kernel parses the options, checks the memory, starts the runtime, loads and builds the graph,
// runs the trials, verifies on request, and prints and writes what the kernel found. A kernel
// provides the functions below; they are called in this order, by one task inside of a
// run (but for the first eight). What belongs to the last trial is kept until finish().

#include <cstdint>
#include <limits>
#include <string>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/report.hpp"
#include "grappa/graph/build.hpp"
#include "grappa/graph/checkpoint/checkpoint.hpp"
#include "grappa/graph/graph.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/verify/verification.hpp"

namespace grappa::cli {

class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual std::string name() const = 0;
  /// For help: what is computed, by which definition, and what the value in -o is.
  virtual std::string description() const = 0;
  virtual void add_options(CommandLine& line) = 0;
  virtual graph::BuildOptions build_options() const { return {}; }
  /// Whether the weights of the edges are read, if there are any.
  virtual bool wants_weights() const { return false; }
  /// Smaller ones are refused where they are read.
  virtual double least_weight() const { return std::numeric_limits<double>::lowest(); }
  /// Whether it can resume an earlier run; if so, use_checkpoint() is called before the first
  /// trial, with where to save and what to resume from, or with null.
  virtual bool has_checkpoints() const { return false; }
  virtual void use_checkpoint(graph::Checkpoint*) {}

  /// Throws UsageError for options that do not go together, before anything is made or loaded.
  virtual void check_options(bool with_checkpoints) const { static_cast<void>(with_checkpoints); }

  /// Why there is nothing for -o, where the options ask for less; else empty.
  virtual std::string why_no_values() const { return {}; }

  /// Before the first trial: chooses the source and the like.
  virtual void prepare(const graph::Graph&, const graph::VertexNames&, Report&) {}
  /// One trial. Frees the result of the one before, outside of `seconds`.
  virtual void run(const graph::Graph& graph, Progress& progress) = 0;
  virtual void discard() = 0;
  /// What to say of the last trial, besides its seconds.
  virtual nlohmann::json trial_facts(double seconds) const;
  virtual graph::Verification verify(const graph::Graph& graph) = 0;
  /// The summary. `seconds` is the median.
  virtual void summarize(const graph::Graph& graph, const graph::VertexNames& names, double seconds,
                         std::int64_t top, Report& report) = 0;
  /// Brings the values to this locale; afterwards append_value may be called from any core.
  virtual void collect_values(const graph::Graph& graph) = 0;
  virtual void append_value(std::string& line, const graph::VertexNames& names,
                            std::int64_t vertex) const = 0;

  /// Of kernels whose -o has other lines than one "vertex<TAB>value" for each vertex: what they are
  /// (for help), how many, and each of them; append_value is not called then.
  virtual std::string lines_help() const;
  virtual std::int64_t line_count(const graph::Graph& graph) const;
  virtual void append_line(std::string& text, const graph::VertexNames& names,
                           std::int64_t line) const;
};

int run_kernel(Kernel& kernel, const Arguments& arguments);

}  // namespace grappa::cli
