#pragma once

// What all benchmarks use: trials in turn, medians, clocks, and what reports are made of.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/report.hpp"
#include "grappa/base/clock.hpp"

namespace grappa::bench {

using cli::median;
using internal::seconds_since;

template <class F>
double seconds_of(F&& work) {
  const std::uint64_t start = internal::now_ns();
  work();
  return seconds_since(start);
}

/// Trials of several things, run in turn, A B C A B C, after one warm-up of each.
struct TrialsInTurn {
  std::vector<std::vector<double>> results;  // of each thing, in the order of the things
  int runs = 0;                              // of each thing: warm-up, repeated and kept ones
};

/// Runs a round and returns the fraction of its time that the host stole (stolen_time.hpp).
using StolenShareOf = double (*)(const std::function<void()>& round);
double stolen_share_of(const std::function<void()>& round);

/// A round in which the host took more than a fiftieth of a processor from this machine measures
/// the host's other guests: it is repeated, at most four times for each trial and for no more than
/// a minute in all, and the `trials` rounds that were disturbed least are kept, those first.
TrialsInTurn run_in_turn(int trials, const std::vector<std::function<double()>>& things,
                         StolenShareOf stolen_share = stolen_share_of);

/// A thing that is done twice in its turn, of which the second time counts: then it is hot, however
/// long the others' turns were. Some hosts take back memory that has been free for seconds.
template <class F>
auto second_time(F thing) {
  return [thing] {
    thing();
    return thing();
  };
}

/// The same of one thing alone: its results.
std::vector<double> run_trials(int trials, const std::function<double()>& thing);

/// Seconds of each trial of two things that are run in turn, as above.
struct PairedTrials {
  std::vector<double> ours;
  std::vector<double> baseline;  // empty when there is none
  int runs = 0;                  // of each: warm-up, repeated and kept ones
};
PairedTrials run_paired(int trials, const std::function<double()>& ours,
                        const std::function<double()>& baseline);

/// One of several curves over x: what is measured for one x.
struct CurvePoint {
  std::string name;
  std::function<double()> trial;
};
/// Where the points of curves go.
struct CurveTable {
  std::string fact;                // what the values are
  std::string format;              // in cells
  std::vector<std::string> names;  // of the columns
};
/// Measures the points in turn, and adds medians and trials to row["series"], and to `panel` at x.
/// Returns the cells of all columns, "-" where a curve has no point.
std::vector<std::string> measure_points(int trials, const std::vector<CurvePoint>& points,
                                        const CurveTable& table, double x, nlohmann::json& row,
                                        cli::Panel& panel);

/// What became of all rounds of this process, warm-ups apart.
struct RoundCounts {
  std::int64_t kept = 0;
  std::int64_t repeated = 0;
  std::int64_t disturbed = 0;  // of the kept ones
};
RoundCounts round_counts();

/// A team of OpenMP threads, each pinned to a processor of its own, for baselines. Make it before a
/// run (Error otherwise): threads of a run are pinned, and would find no more than one processor,
/// which the whole team would share.
class OpenMpTeam {
 public:
  OpenMpTeam();
  /// Runs work(thread) on so many threads, inside of a run or not; returns the seconds it took.
  double run(int threads, const std::function<void(int thread)>& work) const;

 private:
  std::vector<int> cpus_;
};

/// A pseudo-random 64-bit number for each index: the finaliser of MurmurHash3 (A. Appleby), which
/// is a bijection.
inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  return x;
}

/// A pseudo-random index below `length` for each i.
inline std::int64_t random_index(std::int64_t i, std::int64_t length) {
  const std::uint64_t high = mix(static_cast<std::uint64_t>(i)) * 0x9E3779B97F4A7C15ull >> 32;
  return static_cast<std::int64_t>(high * static_cast<std::uint64_t>(length) >> 32);
}

nlohmann::json trials_json(const std::vector<double>& seconds);

/// What a rate is called in text, as a fact, and its unit; such as {"GUPS",
/// "million_updates_per_second", "M/s"}.
struct RateName {
  std::string_view label;
  std::string fact;
  std::string_view unit;
};
/// Operations of a trial here and in the baseline.
struct Operations {
  std::int64_t ours;
  std::int64_t theirs;
};
/// Reports the trials and their rate, in millions a second; where there is one the baseline's, of
/// that name, and the ratio.
void report_rate(cli::Report& report, const RateName& name, const PairedTrials& trials,
                 const Operations& operations, const std::string& baseline);

}  // namespace grappa::bench
