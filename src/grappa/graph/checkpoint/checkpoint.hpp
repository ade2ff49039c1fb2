#pragma once

// Checkpoints of kernels that iterate: a run that ended for whatever reason is resumed from the
// last checkpoint, also on another number of locales and cores.
//
//   // Whoever runs a kernel:
//   Checkpoint checkpoint("pagerank", {.write = "DIR", .every = parse_interval("5min")});
//   pagerank(graph, {.checkpoint = &checkpoint});
//
//   // A kernel, in a few lines:
//   CheckpointSession session(options.checkpoint, graph, "damping 0.85");
//   session.add("rank", rank);                    // an element for each vertex, at its home
//   session.add("change", change);                // double or std::int64_t
//   int64_t i = session.resume();                 // 0, or the iterations that are done already
//   while (i < n) {
//     …
//     session.after(++i);                         // writes a checkpoint when it is time
//   }
//   session.finish(i);                            // and a last one
//
// Every locale writes its part of the arrays to a file in the folder, which is on its disk before
// the manifest that names it replaces the previous one (manifest.hpp). A crash at any moment leaves
// a whole checkpoint: the new or the old one. To resume, all locales must see the same folder.
//
// Errors. UsageError: a folder that cannot be made or holds a checkpoint that would be lost; a
// checkpoint of another kernel or graph, or with other options. InputError: nothing to resume from,
// or damage. Error: a checkpoint that could not be written; the one before is then whole, and
// nothing is left of the new one. Inside a run, one task makes and uses sessions; everything but
// the constructor of Checkpoint switches tasks. A session without checkpoints costs nothing.

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grappa/container/global_array.hpp"
#include "grappa/graph/checkpoint/internal/manifest.hpp"
#include "grappa/graph/checkpoint/internal/part_file.hpp"
#include "grappa/graph/checkpoint/interval.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct CheckpointOptions {
  std::string write = {};   // the folder for new ones; empty: none are written
  std::string resume = {};  // the folder of the one to go on from; empty: from the start
  Interval every = {};
};

class Checkpoint {
 public:
  /// Makes the folder if there is none, and reads the manifest of the one to go on from.
  Checkpoint(std::string kernel, CheckpointOptions options);

  const CheckpointOptions& options() const { return options_; }
  /// How many a session has written.
  std::int64_t written() const { return written_; }
  /// The iteration after which a run resumes.
  std::optional<std::int64_t> resumes_after() const;

 private:
  friend class CheckpointSession;

  std::string kernel_;
  CheckpointOptions options_;
  std::optional<Manifest> start_;  // what to go on from
  std::int64_t written_ = 0;
};

class CheckpointSession {
 public:
  /// `checkpoint` may be null. `meaning`: the options that change what is computed; a checkpoint
  /// with others is refused.
  CheckpointSession(Checkpoint* checkpoint, const Graph& graph, const std::string& meaning);

  /// Names what is saved; always in the same order, and all before resume(). The objects must not
  /// move while the session lives.
  template <class T>
  void add(const std::string& name, const GlobalArray<T>& array) {
    if (checkpoint_ == nullptr) return;
    now_.arrays.push_back({name, sizeof(T)});
    on_all_locales([locals = *locals_, array] {
      locals->arrays.push_back(
          {reinterpret_cast<std::byte*>(array.locale_part().data()), sizeof(T)});
    });
  }
  void add(const std::string& name, double& value);
  void add(const std::string& name, std::int64_t& value);

  /// Fills what was added from the checkpoint, and returns its iteration; 0 if there is none.
  std::int64_t resume();
  /// Whether after(iteration) will write a checkpoint: for kernels that must prepare for it.
  bool is_due(std::int64_t iteration) const;
  void after(std::int64_t iteration);
  void finish(std::int64_t iteration);
  bool is_on() const { return checkpoint_ != nullptr; }

 private:
  struct Local {  // what a locale knows
    std::vector<ArrayPiece> arrays;
    std::string folder;  // that it writes to
    std::string id;      // of the checkpoint that is being written
  };
  struct Variable {
    double* real = nullptr;
    std::int64_t* integer = nullptr;
  };

  void check(const Manifest& start) const;
  void save(std::int64_t iteration);
  std::vector<Manifest::Part> write_parts();
  [[noreturn]] void give_up(const std::string& why) const;

  Checkpoint* checkpoint_;
  const Graph graph_;
  Owned<Exchange> exchange_;
  Owned<LocaleState<Local>> locals_;
  Manifest now_;
  std::vector<Variable> variables_;  // as now_.scalars
  std::int64_t last_iteration_ = 0;  // of the last one, or where this run began
  std::uint64_t last_ns_ = 0;
  std::optional<std::int64_t> in_folder_;  // the iteration of the one in the folder
};

}  // namespace grappa::graph
