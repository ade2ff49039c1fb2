// bench gups: random increments of a large table (the HPC Challenge benchmark RandomAccess, with
// increments instead of exclusive-ors).
//
// Ours: asynchronous increments through delegates, plain or binned by address. Baselines: `openmp`,
// a hand-written loop of relaxed atomic increments with a rolling software prefetch, over the same
// table; `mpi-alltoallv` and `mpi-rma`, see gups_mpi.hpp. All draw the same indices. Check:
// decrementing the same indices as often, by a plain loop, must leave a table of zeros.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <optional>

#include "bench/gups_mpi.hpp"
#include "bench/gups_stream.hpp"
#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "bench/with_mpi.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

constexpr std::size_t kAhead = 32;  // updates between prefetch and increment in the baseline

/// Adds `by` at the indices of updates [first, last).
void shared_memory_updates(std::int64_t* table, const GupsStream& stream, std::int64_t first,
                           std::int64_t last, std::int64_t by) {
  std::array<std::int64_t*, kAhead> pending;
  const std::int64_t primed =
      std::min<std::int64_t>(last, first + static_cast<std::int64_t>(kAhead));
  for (std::int64_t i = first; i < primed; ++i) {
    pending[static_cast<std::size_t>(i - first)] = table + stream(i);
    __builtin_prefetch(pending[static_cast<std::size_t>(i - first)], 1);
  }
  std::size_t slot = 0;
  for (std::int64_t i = primed; i < last; ++i) {
    std::int64_t* next = table + stream(i);
    __builtin_prefetch(next, 1);
    std::atomic_ref(*pending[slot]).fetch_add(by, std::memory_order_relaxed);
    pending[slot] = next;
    slot = (slot + 1) % kAhead;
  }
  for (std::int64_t k = 0; k < primed - first; ++k) {
    std::atomic_ref(
        *pending[(slot + static_cast<std::size_t>(k)) % static_cast<std::size_t>(primed - first)])
        .fetch_add(by, std::memory_order_relaxed);
  }
}

class Gups final : public Benchmark {
 public:
  Gups() : Benchmark("gups", "random increments of a large table, millions a second") {}

  void add_options(Options& options) override {
    options.add("--table", table_, "size of the table, rounded down to a power of two");
    options.add_count("--updates", updates_, 0, Options::kMany,
                      "increments in a trial; 0: as many as the table has words");
    options.add_trials(trials_);
    options.add_switch("--binned", binned_, "bin the updates by address (--bin-size a core)");
    options.add_choice(
        "--baseline", baseline_, {"openmp", "mpi-alltoallv", "mpi-rma"},
        "also, in turn: openmp: a hand-written shared-memory loop; mpi-alltoallv: a hand-written "
        "bulk exchange; mpi-rma: MPI_Accumulate (both on one thread of each process)");
  }

  void run(const Config& base_config, Report& report) override {
    Config config = base_config;
    if (!baseline_.empty()) config.stall_ns = 0;  // a baseline keeps its core
    const std::uint64_t bytes = internal::parse_size(table_).value_or(0);
    if (bytes < 1024)
      throw UsageError(
          fmt::format("--table {}: a size of at least 1KiB was expected, such as 1GiB", table_));
    const auto length = static_cast<std::int64_t>(std::bit_floor(bytes / sizeof(std::int64_t)));
    const GupsStream stream{64 - std::countr_zero(static_cast<std::uint64_t>(length))};
    const std::int64_t updates = updates_ > 0 ? updates_ : length;
    const OpenMpTeam team;
    grappa::run(config, [&] {
      if (baseline_ == "openmp" && locale_count() > 1)
        throw UsageError("--baseline openmp: needs one locale");
      if (baseline_.starts_with("mpi-")) require_mpi("bench gups", baseline_);
      cli::print_cores(report);
      report.line("Table", "{} MiB", fact("table_bytes", length * 8, length * 8 >> 20));
      report.line("Updates", "{} a trial, {}", fact("updates", updates),
                  fact("binned", binned_, binned_ ? "binned" : "plain"));
      const Owned<GlobalArray<std::int64_t>> table = GlobalArray<std::int64_t>::create(length);
      Owned<BinnedIncrements<std::int64_t>> bins;
      if (binned_) bins = BinnedIncrements<std::int64_t>::create(*table);
      std::int64_t rounds = 0;
      const auto ours = [&] {
        ++rounds;
        return seconds_of([&] {
          if (binned_)
            update(*bins, stream, updates);
          else
            update(*table, stream, updates);
        });
      };
      const auto plain_loop = [&](std::int64_t by) {
        std::int64_t* words = table->locale_part().data();
        const int threads = core_count();
        return team.run(threads, [&, words, threads](int thread) {
          shared_memory_updates(words, stream, updates * thread / threads,
                                updates * (thread + 1) / threads, by);
        });
      };
      std::function<double()> baseline;
      std::optional<BulkExchange> bulk;
      std::optional<RemoteAccumulate> remote;
      if (baseline_ == "openmp") {
        baseline = [&] {
          ++rounds;
          return plain_loop(1);
        };
      } else if (baseline_ == "mpi-alltoallv") {
        bulk.emplace(*table, stream, updates);
        baseline = [&] {
          ++rounds;
          return bulk->run();
        };
      } else if (baseline_ == "mpi-rma") {
        remote.emplace(length, stream, updates);
        baseline = [&] { return remote->run(); };
      }
      const PairedTrials trials = run_paired(trials_, ours, baseline);
      check(*table, stream, updates, rounds);
      if (remote) remote->check();
      report_rate(report, {"GUPS", "million_updates_per_second", "M/s"}, trials, {updates, updates},
                  baseline_);
      if (bulk)
        report.line("Rounds", "of {} updates in the baseline",
                    fact("/baseline/updates_a_round", bulk->updates_a_round()));
      report.line("Checked", "{} rounds undone one by one leave zeros everywhere{}",
                  fact("checked", true, rounds), remote ? ", in MPI's window, too" : "");
    });
  }

 private:
  static void update(GlobalArray<std::int64_t> table, GupsStream stream, std::int64_t updates) {
    forall(0, updates, [=](std::int64_t i) { delegate::async::increment(table[stream(i)]); });
  }
  static void update(BinnedIncrements<std::int64_t> bins, GupsStream stream, std::int64_t updates) {
    forall(0, updates, [=](std::int64_t i) { bins.increment(stream(i)); });
  }

  /// Takes back what `rounds` rounds added, at the home of each word, and looks for anything left.
  static void check(GlobalArray<std::int64_t> table, GupsStream stream, std::int64_t updates,
                    std::int64_t rounds) {
    on_all_cores([=] {
      const auto mine = table.local();
      for (std::int64_t i = 0; i < updates; ++i) {
        const std::int64_t index = stream(i);
        if (table.home(index) == this_core())
          mine[static_cast<std::size_t>(table.local_index(index))] -= rounds;
      }
    });
    const auto wrong = reduce_cores(
        [=] {
          return static_cast<std::int64_t>(
              std::ranges::count_if(table.local(), [](std::int64_t x) { return x != 0; }));
        },
        std::int64_t{0}, std::plus<>{});
    if (wrong != 0) throw Error(fmt::format("gups: {} words of the table are wrong", wrong));
  }

  std::string table_ = "1GiB";
  std::int64_t updates_ = 0;
  int trials_ = 5;
  bool binned_ = false;
  std::string baseline_;
};

const Gups gups;

}  // namespace
}  // namespace grappa::bench
