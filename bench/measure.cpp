#include "bench/measure.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <thread>

#include "bench/stolen_time.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::bench {
namespace {

constexpr double kDisturbed = 0.02;  // fraction of a processor's time
constexpr std::size_t kRepeatsATrial = 4;
constexpr std::uint64_t kMaxLossNs = 60'000'000'000;

struct Round {
  std::vector<double> results;  // of each thing
  double stolen = 0;
};

bool disturbed(const Round& round) { return round.stolen > kDisturbed; }

RoundCounts counts;

}  // namespace

double stolen_share_of(const std::function<void()>& round) {
  const StolenFraction stolen;
  round();
  return stolen.so_far();
}

TrialsInTurn run_in_turn(int trials, const std::vector<std::function<double()>>& things,
                         StolenShareOf stolen_share) {
  for (const auto& thing : things) thing();
  const auto wanted = static_cast<std::size_t>(trials);
  std::vector<Round> rounds;
  std::size_t quiet = 0;
  std::uint64_t lost_ns = 0;
  while (rounds.size() < wanted || (quiet < wanted && lost_ns < kMaxLossNs &&
                                    rounds.size() < wanted * (1 + kRepeatsATrial))) {
    Round& round = rounds.emplace_back();
    const std::uint64_t start = internal::now_ns();
    round.stolen = stolen_share([&] {
      for (const auto& thing : things) round.results.push_back(thing());
    });
    if (disturbed(round))
      lost_ns += internal::now_ns() - start;
    else
      ++quiet;
  }
  TrialsInTurn trials_in_turn{{}, static_cast<int>(rounds.size()) + 1};
  counts.repeated += static_cast<std::int64_t>(rounds.size() - wanted);
  std::ranges::stable_sort(rounds, {}, &Round::stolen);
  rounds.resize(wanted);
  counts.kept += trials;
  counts.disturbed += std::ranges::count_if(rounds, disturbed);
  for (std::size_t i = 0; i < things.size(); ++i) {
    auto& results = trials_in_turn.results.emplace_back();
    for (const Round& round : rounds) results.push_back(round.results[i]);
  }
  return trials_in_turn;
}

std::vector<double> run_trials(int trials, const std::function<double()>& thing) {
  return run_in_turn(trials, {thing}).results.front();
}

PairedTrials run_paired(int trials, const std::function<double()>& ours,
                        const std::function<double()>& baseline) {
  std::vector<std::function<double()>> things = {ours};
  if (baseline) things.push_back(baseline);
  const auto trials_in_turn = run_in_turn(trials, things);
  const auto& results = trials_in_turn.results;
  return {results.front(), baseline ? results.back() : std::vector<double>{}, trials_in_turn.runs};
}

std::vector<std::string> measure_points(int trials, const std::vector<CurvePoint>& points,
                                        const CurveTable& table, double x, nlohmann::json& row,
                                        cli::Panel& panel) {
  std::vector<std::function<double()>> things;
  for (const CurvePoint& point : points) things.push_back(point.trial);
  const auto results = run_in_turn(trials, things).results;
  std::vector<std::string> cells(table.names.size(), "-");
  row["series"] = nlohmann::json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string& name = points[i].name;
    const double value = median(results[i]);
    row["series"].push_back({{"name", name}, {table.fact, value}, {"trials", results[i]}});
    panel.line(name).points.push_back({x, value});
    const auto column = std::ranges::find(table.names, name) - table.names.begin();
    cells[static_cast<std::size_t>(column)] = fmt::format(fmt::runtime(table.format), value);
  }
  return cells;
}

RoundCounts round_counts() { return counts; }

OpenMpTeam::OpenMpTeam() {
  if (internal::inside_runtime()) throw Error("bench: a team of threads is made before the run");
  for (const internal::Cpu& cpu : internal::usable_cpus()) cpus_.push_back(cpu.os_index);
}

#ifdef _OPENMP
double OpenMpTeam::run(int threads, const std::function<void(int thread)>& work) const {
  double seconds = 0;
  // On a thread of its own: OpenMP keeps its team for the thread that made it, and threads of a run
  // come and go.
  std::thread([&] {
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num();
      internal::pin_this_thread(cpus_[static_cast<std::size_t>(thread) % cpus_.size()]);
#pragma omp barrier
#pragma omp master
      seconds = -static_cast<double>(internal::now_ns());
#pragma omp barrier
      work(thread);
#pragma omp barrier
#pragma omp master
      seconds += static_cast<double>(internal::now_ns());
    }
  }).join();
  return seconds * 1e-9;
}
#else
double OpenMpTeam::run(int, const std::function<void(int thread)>&) const {
  throw UsageError("built without OpenMP, which this baseline needs: Debian's libomp-19-dev");
}
#endif

nlohmann::json trials_json(const std::vector<double>& seconds) {
  nlohmann::json trials = nlohmann::json::array();
  for (const double s : seconds) trials.push_back({{"seconds", s}});
  return trials;
}

void report_rate(cli::Report& report, const RateName& name, const PairedTrials& trials,
                 const Operations& operations, const std::string& baseline) {
  const auto rate = [](std::int64_t count, const std::vector<double>& seconds) {
    return static_cast<double>(count) / median(seconds) * 1e-6;
  };
  const double ours = rate(operations.ours, trials.ours);
  report.set("/trials", trials_json(trials.ours));
  report.line(name.label, "{:.1f} {}", cli::fact(name.fact, ours), name.unit);
  if (trials.baseline.empty()) return;
  const double theirs = rate(operations.theirs, trials.baseline);
  report.line("Baseline", "{:.1f} {} ({})", cli::fact("/baseline/" + name.fact, theirs), name.unit,
              cli::fact("/baseline/name", baseline));
  report.set("/baseline/trials", trials_json(trials.baseline));
  report.line("Ratio", "{:.2f}", cli::fact("/ratio", ours / theirs));
}

}  // namespace grappa::bench
