// bench context-switch: what it costs to yield to the next of many workers.
//
// N workers on one core have all started and wait at a barrier; then each yields `--yields` times.
// The baseline `bare` is a loop over a ring of saved stack pointers with the same assembly switch
// and the same stacks, and nothing else: no queue, no scheduler, no prefetch. Check: every worker
// counts its own turns.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "grappa/context/stack_pool.hpp"
#include "grappa/context/switch.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

/// Shared by the workers of a trial, all on one core.
struct Turns {
  std::int64_t started = 0;
  bool go = false;
  std::int64_t done = 0;
  std::int64_t turns = 0;
};

double grappa_trial(std::int64_t workers, std::int64_t yields) {
  Turns state;
  Turns* shared = &state;
  CompletionEvent all;
  for (std::int64_t i = 0; i < workers; ++i) {
    spawn(all, [shared, yields] {
      ++shared->started;
      while (!shared->go) yield();
      for (std::int64_t k = 0; k < yields; ++k) {
        yield();
        ++shared->turns;
      }
      ++shared->done;
    });
  }
  while (state.started < workers) yield();
  const std::uint64_t start = now_ns();
  state.go = true;
  while (state.done < workers) yield();
  const std::uint64_t end = now_ns();
  all.wait();
  if (state.turns != workers * yields) throw Error("bench context-switch: turns were lost");
  // The measuring task yields, too.
  return static_cast<double>(end - start) /
         (static_cast<double>(workers + 1) * static_cast<double>(yields));
}

/// The bare ring, as the contexts on it see it.
struct Ring {
  std::vector<void*> stack_pointers;
  std::size_t current = 0;
  std::int64_t turns = 0;
  std::int64_t limit = 0;
  void* main = nullptr;
};

void bare_entry(void* argument) {
  auto& ring = *static_cast<Ring*>(argument);
  for (;;) {
    ++ring.turns;
    const std::size_t self = ring.current;
    if (ring.turns >= ring.limit) {
      grappa_switch(&ring.stack_pointers[self], ring.main);
      continue;
    }
    ring.current = self + 1 == ring.stack_pointers.size() ? 0 : self + 1;
    grappa_switch(&ring.stack_pointers[self], ring.stack_pointers[ring.current]);
  }
}

class BareRing {
 public:
  BareRing(const Config& config, std::int64_t workers) : pool_(config.stack_bytes, config.stacks) {
    for (std::int64_t i = 0; i < workers; ++i) {
      stacks_.push_back(pool_.allocate());
      const Stack& stack = stacks_.back();
      contexts_.push_back(
          make_context(stack.low, stack.bytes, &bare_entry, &ring_, stack_colour(stack.index)));
      ring_.stack_pointers.push_back(contexts_.back().sp);
    }
  }
  ~BareRing() {
    for (Context& context : contexts_) destroy_context(context);
    for (const Stack& stack : stacks_) pool_.release(stack);
  }
  BareRing(const BareRing&) = delete;
  BareRing& operator=(const BareRing&) = delete;

  /// Nanoseconds a switch.
  double trial(std::int64_t yields) {
    const auto turns = static_cast<std::int64_t>(contexts_.size()) * yields;
    ring_.turns = 0;
    ring_.limit = turns;
    const std::uint64_t start = now_ns();
    grappa_switch(&ring_.main, ring_.stack_pointers[ring_.current]);
    const std::uint64_t end = now_ns();
    if (ring_.turns != turns) throw Error("bench context-switch: the bare ring lost turns");
    return static_cast<double>(end - start) / static_cast<double>(turns);
  }

 private:
  StackPool pool_;
  std::vector<Stack> stacks_;
  std::vector<Context> contexts_;
  Ring ring_;
};

class ContextSwitch final : public Benchmark {
 public:
  ContextSwitch()
      : Benchmark("context-switch", "nanoseconds to yield to the next of many workers") {}

  void add_options(Options& options) override {
    options.add("--workers", workers_, "numbers of workers to measure with");
    options.add("--switches", switches_,
                "switches in a trial, at least; every worker yields equally often");
    options.add("--trials", trials_, "trials; the median counts");
    options.add_choice(
        "--baseline", baseline_, {"bare"},
        "bare: also a ring of stacks with the same switch and nothing else, in turn");
  }

  nlohmann::json run(const Config& base_config, bool quiet) override {
    Config config = base_config;
    config.cores = 1;
    config.locales = 1;
    nlohmann::json rows = nlohmann::json::array();
    const char* mode = config.stacks == StackMode::kGuarded ? "guarded"
                       : config.stacks == StackMode::kHuge  ? "huge"
                                                            : "canary";
    if (!quiet)
      fmt::print("Stacks:    {} of {} KiB, prefetch distance {}\n", mode, config.stack_bytes >> 10,
                 config.prefetch_distance.has_value() ? std::to_string(*config.prefetch_distance)
                                                      : "measured");
    for (const std::int64_t workers : workers_) {
      if (workers < 1) throw UsageError("--workers: at least 1");
      const std::int64_t yields = std::max<std::int64_t>(20, switches_ / workers);
      grappa::run(config, [&] {
        std::unique_ptr<BareRing> bare;
        std::function<double()> baseline;
        if (!baseline_.empty()) {
          bare = std::make_unique<BareRing>(config, workers);
          baseline = [&] { return bare->trial(yields); };
        }
        const PairedTrials trials =
            run_paired(trials_, [&] { return grappa_trial(workers, yields); }, baseline);
        nlohmann::json row = {
            {"workers", workers}, {"nanoseconds", median(trials.ours)}, {"checked", true}};
        if (!quiet) fmt::print("Workers:   {:>7}  {:6.2f} ns", workers, median(trials.ours));
        if (baseline) {
          const double bare_ns = median(trials.baseline);
          row["baseline_nanoseconds"] = bare_ns;
          row["ratio"] = median(trials.ours) / bare_ns;
          if (!quiet)
            fmt::print("   bare {:6.2f} ns   ratio {:.2f}", bare_ns, median(trials.ours) / bare_ns);
        }
        if (!quiet) fmt::print("\n");
        rows.push_back(row);
      });
    }
    nlohmann::json report = {{"trials", nlohmann::json::array()},
                             {"result", {{"stacks", mode}, {"rows", rows}}}};
    if (!baseline_.empty()) {
      report["baseline"] = {{"name", baseline_}};
      report["ratio"] = rows.back()["ratio"];
    }
    return report;
  }

 private:
  std::vector<std::int64_t> workers_{2, 10, 100, 1000, 10'000, 100'000, 500'000};
  std::int64_t switches_ = 5'000'000;
  int trials_ = 5;
  std::string baseline_;
};

const ContextSwitch context_switch;

}  // namespace
}  // namespace grappa::bench
