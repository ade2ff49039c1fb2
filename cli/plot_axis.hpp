#pragma once

// An axis of a figure: which values it covers, where its ticks are, and what they read.
//
//   const AxisMap y(chart.y, least, greatest);
//   y.fraction(7.5);                       // 0 at the low end, 1 at the high end
//   for (const Tick& tick : y.ticks()) …

#include <string>
#include <vector>

#include "cli/plot.hpp"

namespace grappa::cli {

struct Tick {
  double value = 0;
  std::string text;
};

class AxisMap {
 public:
  /// An axis that shows all of [least, greatest], which are finite, and positive where it is
  /// logarithmic.
  AxisMap(const Axis& axis, double least, double greatest);

  double fraction(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  bool covers(double value) const { return value >= low_ && value <= high_; }

 private:
  void choose_linear();
  void choose_log();
  void choose_powers_of_2();
  void add_tick(double value);

  Axis axis_;
  double low_;
  double high_;
  std::vector<Tick> ticks_;
};

/// A number as a tick shows it: "100,000", "2.5", "0.001".
std::string number_text(double value);

}  // namespace grappa::cli
