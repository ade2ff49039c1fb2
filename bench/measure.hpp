// What benchmarks share: trials in turn, medians, and the JSON that reports them.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace grappa::bench {

double median(std::vector<double> values);

/// What each trial of several things gave, when they are run in turn, A B C A B C, after one
/// warm-up of each; in the order of the things.
std::vector<std::vector<double>> run_in_turn(int trials,
                                             const std::vector<std::function<double()>>& things);

/// Seconds of each trial of two things that are run in turn, A B A B, after one warm-up of each.
struct PairedTrials {
  std::vector<double> ours;
  std::vector<double> baseline;  // empty when there is none
};
PairedTrials run_paired(int trials, const std::function<double()>& ours,
                        const std::function<double()>& baseline);

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

}  // namespace grappa::bench
