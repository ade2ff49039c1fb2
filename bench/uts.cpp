// bench uts: unbalanced tree search, nodes a second.
//
// The tree is computed while it is searched (uts_tree.hpp), by all cores (uts_parallel.hpp), or,
// with --memory, found in global memory (uts_memory.hpp); then only the traversal is timed.
// Baselines: `independent`, sequential searches of whole trees side by side, one on each core, with
// the same code for a node: what is left when nothing is given away. `search`, beside --memory: the
// search that computes the tree. Check: nodes, leaves and depth of every search are those that are
// published for the tree.

#include <fmt/format.h>

#include <memory>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "bench/uts_memory.hpp"
#include "bench/uts_parallel.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

using Independent = UtsSearch<UtsNoLabels>;
using ParallelSearch = UtsParallelSearch<UtsNoLabels>;

constexpr std::int64_t kMaxGrain = 1'000'000;

void check(const UtsTree& tree, const UtsCounts& counts) {
  if (counts == tree.counts) return;
  throw Error(fmt::format(
      "bench uts: {} has {} nodes, {} leaves and depth {}; the search found {}, {} and {}",
      tree.name, tree.counts.nodes, tree.counts.leaves, tree.counts.depth, counts.nodes,
      counts.leaves, counts.depth));
}

/// Seconds of a search, checked.
template <class Search>
double timed(const UtsTree& tree, const Search& search) {
  const std::uint64_t start = internal::now_ns();
  const UtsCounts counts = search();
  const double seconds = seconds_since(start);
  check(tree, counts);
  return seconds;
}

/// Seconds until every thread of the team has searched a whole tree of its own.
double independent_trial(const UtsTree& tree, const OpenMpTeam& team,
                         std::vector<std::unique_ptr<Independent>>& searches) {
  const double seconds = team.run(static_cast<int>(searches.size()), [&](int thread) {
    Independent& search = *searches[static_cast<std::size_t>(thread)];
    search.visit_root(tree.shape.seed);
    search.run(tree.counts.nodes);
  });
  for (auto& search : searches) {
    if (!search->done()) throw Error("bench uts: an independent search did not come to its end");
    check(tree, search->take_counts());
  }
  return seconds;
}

void require_memory_for(const UtsTree& tree) {
  // Simulated locales share one machine.
  const auto machines = static_cast<std::uint64_t>(
      internal::here().locale.config.is_simulated() ? 1 : locale_count());
  const std::uint64_t bytes = UtsMemoryTree::bytes(tree) / machines;
  const std::uint64_t usable = internal::usable_memory_bytes();
  if (bytes <= usable) return;
  throw UsageError(fmt::format("--memory: {} takes {} in each of {} processes, and {} are usable",
                               tree.name, internal::format_bytes(bytes), machines,
                               internal::format_bytes(usable)));
}

class Uts final : public Benchmark {
 public:
  Uts() : Benchmark("uts", "unbalanced tree search, million nodes a second") {}

  void add_options(Options& options) override {
    std::vector<std::string> names;
    for (const UtsTree& tree : uts_trees()) names.emplace_back(tree.name);
    options.add_choice("--tree", tree_, names, "the tree that is searched [T1]");
    options.add_switch("--memory", memory_,
                       "build the tree in global memory, and time only the way through it");
    options.add_count("--grain", grain_, 1, kMaxGrain,
                      "nodes that a core visits before it looks who wants some");
    options.add_trials(trials_);
    options.add_choice("--baseline", baseline_, {"independent", "search"},
                       "also, in turn: independent: each core searches a tree of its own; search: "
                       "the tree of --memory, but computed while it is searched");
  }

  void run(const Config& base_config, Report& report) override {
    if (memory_ && baseline_ == "independent")
      throw UsageError(
          "--baseline independent: its trees are computed, not read; with --memory give search");
    if (!memory_ && baseline_ == "search")
      throw UsageError(
          "--baseline search: without --memory that is what is measured; give independent");
    const UtsTree& tree = *find_uts_tree(tree_);
    Config config = base_config;
    if (baseline_ == "independent") config.stall_ns = 0;  // a baseline keeps its core
    // States are random words, and once in a while one looks like an address.
    config.scan_payloads = config.scan_payloads.value_or(false);
    const OpenMpTeam team;
    grappa::run(config, [&] {
      if (baseline_ == "independent" && locale_count() > 1)
        throw UsageError("--baseline independent: needs one locale");
      cli::print_cores(report);
      if (memory_)
        measure_memory(tree, report);
      else
        measure_search(tree, team, report);
      report.set("tree", tree.name);
      report.set("memory", memory_);
      const UtsCounts& counts = tree.counts;
      report.line("Checked", "{}: {} nodes, {} leaves, depth {} in every search",
                  fact("checked", true, tree.name), fact("nodes", counts.nodes),
                  fact("leaves", counts.leaves), fact("depth", counts.depth));
    });
  }

 private:
  void measure_search(const UtsTree& tree, const OpenMpTeam& team, Report& report) const {
    const bool instructions = uts_hash_instructions() != nullptr;
    report.line("Hash", "SHA-1 {}",
                fact("hash", instructions ? "instructions" : "portable",
                     instructions ? "by the processor's instructions" : "in plain C++"));
    const Owned<ParallelSearch> search = create_search(tree);
    std::vector<std::unique_ptr<Independent>> searches;
    std::function<double()> baseline;
    if (baseline_ == "independent") {
      for (int i = 0; i < core_count(); ++i)
        searches.push_back(std::make_unique<Independent>(tree.shape, UtsNoLabels()));
      baseline = [&] { return independent_trial(tree, team, searches); };
    }
    // Each of the independent searches visits a whole tree.
    compare(tree, [&] { return search->run(); }, baseline, core_count(), report);
  }

  void measure_memory(const UtsTree& tree, Report& report) const {
    require_memory_for(tree);
    const std::uint64_t start = internal::now_ns();
    const Owned<UtsMemoryTree> memory = UtsMemoryTree::build(tree, grain_);
    const std::uint64_t bytes = UtsMemoryTree::bytes(tree);
    report.line("Memory", "{}, filled in {:.2f} s",
                fact("memory_bytes", bytes, internal::format_bytes(bytes)),
                fact("build_seconds", seconds_since(start)));
    Owned<ParallelSearch> search;
    std::function<double()> baseline;
    if (baseline_ == "search") {
      search = create_search(tree);
      baseline = [&] { return timed(tree, [&] { return search->run(); }); };
    }
    compare(tree, [&] { return memory->search(); }, baseline, 1, report);
  }

  /// `baseline_trees`: how many of them the baseline visits in a trial.
  template <class Search>
  void compare(const UtsTree& tree, const Search& search, const std::function<double()>& baseline,
               int baseline_trees, Report& report) const {
    const PairedTrials trials = run_paired(trials_, [&] { return timed(tree, search); }, baseline);
    report_rate(report, {"UTS", "million_nodes_per_second", "M nodes/s"}, trials,
                {tree.counts.nodes, baseline_trees * tree.counts.nodes}, baseline_);
  }

  ParallelSearch create_search(const UtsTree& tree) const {
    return ParallelSearch::create(tree.shape, grain_, [] { return UtsNoLabels(); });
  }

  std::string tree_ = "T1";
  bool memory_ = false;
  std::int64_t grain_ = 512;
  int trials_ = 5;
  std::string baseline_;
};

const Uts uts;

}  // namespace
}  // namespace grappa::bench
