#pragma once

// The experiments of `bench pointer-chase` as curves: what is measured for each x.
//
//   const ChaseField field(bits);
//   const ChaseFigure figure = make_figure(settings, field);
//   for (const std::int64_t x : figure.xs)
//     for (const ChaseCurve& curve : figure.curves)
//       if (const auto trial = curve.at(x)) rate = trial();       // millions a second

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/chase.hpp"
#include "bench/measure.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {

struct ChaseSettings {
  static constexpr std::int64_t kMaxLists = 100'000;

  std::string figure = "4";             // of the paper: 3, 4, 5a, 5b or 6
  std::int64_t references = 4'000'000;  // a core, in a trial
  std::vector<std::int64_t> lists;      // a core; 5a and 5b: exactly one
  std::vector<std::int64_t> sizes;      // of the working sets of 5a and 5b
  std::vector<std::int64_t> updates;
  std::vector<std::uint64_t> delays_ns;
};

struct ChaseCurve {
  std::string name;
  /// A trial, which returns millions of references a second on all cores together; empty where the
  /// curve has no point.
  std::function<std::function<double()>(std::int64_t x)> at;
};

struct ChaseFigure {
  std::string x_name;  // "lists" or "set_bytes"
  std::vector<std::int64_t> xs;
  std::vector<ChaseCurve> curves;
};

/// The lists of all cores, for as long as it lives. Made and used by the main task of a run.
class ChaseField {
 public:
  /// 2^bits nodes a core.
  explicit ChaseField(int bits);
  ~ChaseField();
  ChaseField(const ChaseField&) = delete;
  ChaseField& operator=(const ChaseField&) = delete;

  /// Runs one trial on all cores: millions of references a second. The cores count as one machine,
  /// from the first that begins to the last that ends.
  template <class Chase>
  double rate(const Chase& chase) const {
    const auto times = gather_cores([seats = seats_, chase] { return chase(*seats.local().core); });
    const auto first = std::ranges::min(times, {}, &ChaseTimes::start_ns).start_ns;
    const auto last = std::ranges::max(times, {}, &ChaseTimes::end_ns).end_ns;
    const auto references =
        static_cast<double>(chase.lists * chase.steps) * static_cast<double>(times.size());
    return references * 1e3 / static_cast<double>(last - first);
  }

 private:
  struct Seat {
    std::unique_ptr<ChaseCore> core;
  };
  SymmetricAddress<Seat> seats_;
};

/// Fills in what the settings leave open: the sweeps of each figure. Throws UsageError for what the
/// figure cannot show.
void complete(ChaseSettings& settings);

ChaseFigure make_figure(const ChaseSettings& settings, const ChaseField& field);

/// What is to be said about the curves: the best rates, their ratios, and for figure 6 how many
/// tasks hide the delay.
nlohmann::json judge_chase(const ChaseSettings& settings, int cores, const nlohmann::json& rows);

/// Title and axes, with a panel for the points.
cli::Chart chase_chart(const ChaseSettings& settings, int cores);
/// Where the axis of that chart has the points of a row of so many lists, or of figures 5a and 5b
/// of working sets of `x` bytes.
double place_on_axis(const ChaseSettings& settings, int cores, std::int64_t x);
/// For figure 6: what each delay allows, beside the points.
void draw_littles_law(const ChaseSettings& settings, int cores, cli::Panel& panel);

}  // namespace grappa::bench
