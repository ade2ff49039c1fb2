#include "cli/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include "cli/plot_axis.hpp"
#include "cli/plot_labels.hpp"
#include "grappa/base/error.hpp"

namespace grappa::cli {
namespace {

// Pixels.
constexpr double kPlotWidth = 600;
constexpr double kMinPlotHeight = 380;
constexpr double kLeft = 80;    // for the numbers and title of the y axis
constexpr double kTop = 70;     // for titles
constexpr double kBottom = 62;  // for the numbers and title of the x axis
constexpr double kLabelGap = 18;
constexpr double kLabelOffset = 26;  // from the plot to the labels
constexpr double kCharacter = 7.6;   // width of a letter of a label, at most on average

constexpr std::array<std::string_view, 8> kColors = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                     "#B87A00", "#2C92CC", "#000000", "#882255"};
constexpr std::string_view kReferenceColor = "#666666";

std::string escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // Control characters are not allowed in XML, not even escaped.
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

/// The least and greatest value on an axis.
struct Extent {
  double least = HUGE_VAL;
  double greatest = -HUGE_VAL;

  void add(double value, const Axis& axis) {
    if (!std::isfinite(value))
      throw Error(fmt::format("plot: {} has a value that is not a number", axis.title));
    if (axis.scale != Scale::kLinear && value <= 0) {
      throw Error(fmt::format("plot: {} has the value {}, which a logarithmic axis cannot show",
                              axis.title, value));
    }
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
};

std::string marker(std::size_t number, double x, double y, std::string_view color) {
  const auto path = [&](std::string_view shape) {
    return fmt::format("<path d=\"M{:.2f},{:.2f}{}\" fill=\"{}\"/>\n", x, y, shape, color);
  };
  // Lines that share a color do not share a marker.
  switch ((number + number / kColors.size()) % kColors.size()) {
    case 0:
      return path("m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z");  // disc
    case 1:
      return path("m-3.5,-3.5h7v7h-7z");  // square
    case 2:
      return path("m0,-5l4.5,8h-9z");  // triangle
    case 3:
      return path("m0,-5l5,5l-5,5l-5,-5z");  // diamond
    case 4:
      return path("m0,5l4.5,-8h-9z");  // triangle that points down
    case 5:
      return path("m-1.5,-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z");  // plus
    case 6:
      return path("m-2,-4.5h4l2.5,4.5l-2.5,4.5h-4l-2.5,-4.5z");  // hexagon
    default:
      return path("m-4,-4.5h8l-8,9h8z");  // hourglass
  }
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart)
      : chart_(chart),
        x_extent_(extent_of_x()),
        x_(chart.x, x_extent_.least, x_extent_.greatest),
        y_(axis_of(chart.panels.front())) {
    std::size_t labels = 0;
    std::size_t longest = 0;
    for (const Panel& panel : chart.panels) {
      labels = std::max(labels, panel.series.size() + panel.references.size());
      for (const Series& series : panel.series) longest = std::max(longest, series.name.size());
      for (const Reference& line : panel.references) longest = std::max(longest, line.name.size());
    }
    height_ = std::max(kMinPlotHeight, kLabelGap * static_cast<double>(labels));
    panel_width_ =
        kLeft + kPlotWidth + kLabelOffset + kCharacter * static_cast<double>(longest) + 16;
  }

  std::string document() {
    const double width = panel_width_ * static_cast<double>(chart_.panels.size());
    const double height = kTop + height_ + kBottom;
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
        "height=\"{:.0f}\" font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"14\">\n",
        width, height, width, height);
    put("<title>{}</title>\n", escape(chart_.title));
    put("<rect width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#ffffff\"/>\n", width, height);
    put("<text x=\"{:.2f}\" y=\"28\" font-size=\"18\" font-weight=\"bold\">{}</text>\n", kLeft,
        escape(chart_.title));
    for (const Panel& panel : chart_.panels) {
      y_ = axis_of(panel);
      put("<g class=\"panel\">\n");
      draw_axes(panel);
      draw_lines(panel);
      put("</g>\n");
      left_ += panel_width_;
    }
    put("</svg>\n");
    return std::move(text_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  Extent extent_of_x() const {
    Extent extent;
    for (const Panel& panel : chart_.panels) {
      for (const Series& series : panel.series) {
        for (const Point& point : series.points) extent.add(point.x, chart_.x);
      }
    }
    if (extent.least > extent.greatest) throw Error("plot: there is nothing to draw");
    return extent;
  }
  static void add_values(Extent& extent, const Panel& panel, const Axis& axis) {
    for (const Series& series : panel.series) {
      for (const Point& point : series.points) extent.add(point.y, axis);
    }
    for (const Reference& line : panel.references) extent.add(line.y, axis);
  }
  /// The panel's own, or that of all panels that have none.
  AxisMap axis_of(const Panel& panel) const {
    const Axis& axis = panel.y ? *panel.y : chart_.y;
    Extent extent;
    for (const Panel& each : chart_.panels) {
      if (panel.y ? &each == &panel : !each.y) add_values(extent, each, axis);
    }
    if (extent.least > extent.greatest) return {axis, 1, 1};  // nothing in it
    return {axis, extent.least, extent.greatest};
  }

  double at_x(double value) const { return left_ + kPlotWidth * x_.fraction(value); }
  double at_y(double value) const { return kTop + height_ * (1 - y_.fraction(value)); }

  void draw_axes(const Panel& panel) {
    const double right = left_ + kPlotWidth;
    const double bottom = kTop + height_;
    put("<text x=\"{:.2f}\" y=\"{:.2f}\" font-weight=\"bold\">{}</text>\n", left_, kTop - 14,
        escape(panel.title));
    put("<g class=\"grid\" stroke=\"#e4e4e4\" stroke-width=\"1\">\n");
    for (const Tick& tick : x_.ticks())
      put("<path d=\"M{0:.2f},{1:.2f}V{2:.2f}\"/>\n", at_x(tick.value), kTop, bottom);
    for (const Tick& tick : y_.ticks())
      put("<path d=\"M{0:.2f},{1:.2f}H{2:.2f}\"/>\n", left_, at_y(tick.value), right);
    put("</g>\n<path d=\"M{:.2f},{:.2f}V{:.2f}H{:.2f}\" fill=\"none\" stroke=\"#444444\"/>\n",
        left_, kTop, bottom, right);
    put("<g class=\"ticks\" fill=\"#333333\" font-size=\"13\">\n");
    for (const Tick& tick : x_.ticks()) {
      put("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", at_x(tick.value),
          bottom + 20, tick.text);
    }
    for (const Tick& tick : y_.ticks()) {
      put("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", left_ - 8,
          at_y(tick.value) + 4.5, tick.text);
    }
    put("</g>\n<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n",
        left_ + kPlotWidth / 2, bottom + 46, escape(chart_.x.title));
    put("<text transform=\"translate({:.2f},{:.2f}) rotate(-90)\" "
        "text-anchor=\"middle\">{}</text>\n",
        left_ - 62, kTop + height_ / 2, escape((panel.y ? *panel.y : chart_.y).title));
  }

  void draw_lines(const Panel& panel) {
    labels_.clear();
    for (const Reference& line : panel.references) {
      const double y = at_y(line.y);
      put("<path class=\"reference\" d=\"M{:.2f},{:.2f}H{:.2f}\" stroke=\"{}\" "
          "stroke-dasharray=\"2,3\"/>\n",
          left_, y, left_ + kPlotWidth, kReferenceColor);
      labels_.push_back({line.name, left_ + kPlotWidth, y, std::string(kReferenceColor)});
    }
    for (std::size_t i = 0; i < panel.series.size(); ++i) draw_series(panel.series[i], i);
    draw_labels();
  }

  void draw_series(const Series& series, std::size_t number) {
    if (series.points.empty()) return;
    const std::string_view color = kColors[number % kColors.size()];
    put("<g class=\"series\">\n<title>{}</title>\n<polyline points=\"", escape(series.name));
    for (const Point& point : series.points) put("{:.2f},{:.2f} ", at_x(point.x), at_y(point.y));
    put("\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\"{}/>\n", color,
        series.model ? " stroke-dasharray=\"7,5\"" : "");
    if (!series.model && series.markers) {
      for (const Point& point : series.points)
        text_ += marker(number, at_x(point.x), at_y(point.y), color);
    }
    put("</g>\n");
    const Point& last = series.points.back();
    labels_.push_back({series.name, at_x(last.x), at_y(last.y), std::string(color)});
  }

  /// The names stand in a column to the right, each as near to the end of its line as there is
  /// room, and joined to it.
  void draw_labels() {
    std::stable_sort(labels_.begin(), labels_.end(),
                     [](const Label& a, const Label& b) { return a.y < b.y; });
    std::vector<double> wanted;
    for (const Label& label : labels_) wanted.push_back(label.y);
    const std::vector<double> placed = move_apart(wanted, kLabelGap, kTop, kTop + height_);
    const double x = left_ + kPlotWidth + kLabelOffset;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const Label& label = labels_[i];
      put("<path d=\"M{:.2f},{:.2f}L{:.2f},{:.2f}\" stroke=\"{}\" stroke-width=\"1\" "
          "stroke-dasharray=\"1,3\"/>\n",
          label.x + 6, label.y, x - 4, placed[i], label.color);
      put("<text class=\"label\" x=\"{:.2f}\" y=\"{:.2f}\" fill=\"{}\">{}</text>\n", x,
          placed[i] + 4.5, label.color, escape(label.text));
    }
  }

  struct Label {
    std::string text;
    double x;  // of the end of its line
    double y;
    std::string color;
  };

  const Chart& chart_;
  Extent x_extent_;
  AxisMap x_;
  AxisMap y_;
  double height_ = 0;       // of the plot
  double panel_width_ = 0;  // with its labels
  double left_ = kLeft;     // of the plot of the current panel
  std::vector<Label> labels_;
  std::string text_;
};

}  // namespace

Series& Panel::line(const std::string& name) {
  const auto found = std::ranges::find(series, name, &Series::name);
  if (found != series.end()) return *found;
  series.push_back({.name = name, .points = {}, .model = false});
  return series.back();
}

std::string svg(const Chart& chart) { return Drawing(chart).document(); }

}  // namespace grappa::cli
