#pragma once

// Figures of runs and benchmarks: lines over an axis, drawn as a self-contained SVG.
//
//   Chart chart;
//   chart.title = "Context switch";
//   chart.x = {.title = "workers", .scale = Scale::kLog};
//   chart.y = {.title = "ns a switch"};
//   chart.panels.push_back(
//       {.title = "", .series = {{.name = "ours", .points = {{2, 9}, {10, 7}}}}});
//   file.write(svg(chart));
//
// Each line has its name at its end, in its own color, so that no legend is needed; colors are
// those of Okabe and Ito ("Color Universal Design", 2008; two of them darkened, for text on white,
// and yellow replaced), which people with any kind of color vision can tell apart, and markers
// differ, too. Panels stand side by side and share the axes, unless one has its own upright one.
// The same chart gives the same bytes on every machine.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace grappa::cli {

enum class Scale : std::uint8_t {
  kLinear,     // from 0, or from the least value if that is negative
  kLog,        // ticks at 1, 2, 5 times powers of ten
  kPowersOf2,  // logarithmic with ticks at powers of two
};

struct Axis {
  std::string title;  // with its unit
  Scale scale = Scale::kLinear;
  bool bytes = false;  // values are sizes: ticks read 64 B, 4 KiB
};

struct Point {
  double x = 0;
  double y = 0;
};

struct Series {
  std::string name;
  std::vector<Point> points;  // by ascending x
  bool model = false;         // computed and not measured: dashed, without markers
  bool markers = true;
};

/// A horizontal line over the whole panel.
struct Reference {
  std::string name;
  double y = 0;
};

struct Panel {
  std::string title;
  std::vector<Series> series;
  std::vector<Reference> references;
  std::optional<Axis> y = std::nullopt;  // its own

  /// The line of that name; a new one at first.
  Series& line(const std::string& name);
};

struct Chart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Panel> panels;
};

/// The chart as an SVG document. Throws Error for a chart without points, for values that are not
/// finite, and for values on a logarithmic axis that are not positive.
std::string svg(const Chart& chart);

}  // namespace grappa::cli
