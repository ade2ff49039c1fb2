#include "bench/measure.hpp"

#include <omp.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::bench {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<std::vector<double>> run_in_turn(int trials,
                                             const std::vector<std::function<double()>>& things) {
  std::vector<std::vector<double>> results(things.size());
  for (const auto& thing : things) thing();
  for (int trial = 0; trial < trials; ++trial) {
    for (std::size_t i = 0; i < things.size(); ++i) results[i].push_back(things[i]());
  }
  return results;
}

PairedTrials run_paired(int trials, const std::function<double()>& ours,
                        const std::function<double()>& baseline) {
  std::vector<std::function<double()>> things = {ours};
  if (baseline) things.push_back(baseline);
  const auto results = run_in_turn(trials, things);
  return {results.front(), baseline ? results.back() : std::vector<double>{}};
}

OpenMpTeam::OpenMpTeam() {
  if (inside_runtime()) throw Error("bench: a team of threads is made before the run");
  for (const Cpu& cpu : usable_cpus()) cpus_.push_back(cpu.os_index);
}

double OpenMpTeam::run(int threads, const std::function<void(int thread)>& work) const {
  double seconds = 0;
  // On a thread of its own: OpenMP keeps its team for the thread that made it, and threads of a run
  // come and go.
  std::thread([&] {
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num();
      pin_this_thread(cpus_[static_cast<std::size_t>(thread) % cpus_.size()]);
#pragma omp barrier
#pragma omp master
      seconds = -static_cast<double>(now_ns());
#pragma omp barrier
      work(thread);
#pragma omp barrier
#pragma omp master
      seconds += static_cast<double>(now_ns());
    }
  }).join();
  return seconds * 1e-9;
}

nlohmann::json trials_json(const std::vector<double>& seconds) {
  nlohmann::json trials = nlohmann::json::array();
  for (const double s : seconds) trials.push_back({{"seconds", s}});
  return trials;
}

}  // namespace grappa::bench
