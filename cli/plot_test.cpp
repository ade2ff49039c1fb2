#include "cli/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <set>

#include "cli/plot_axis.hpp"
#include "cli/plot_labels.hpp"
#include "grappa/base/error.hpp"

namespace grappa::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Chart small_chart() {
  Chart chart;
  chart.title = "Rates";
  chart.x = {.title = "tasks", .scale = Scale::kLog};
  chart.y = {.title = "references a second"};
  chart.panels.push_back({.title = "",
                          .series = {{.name = "first", .points = {{1, 10}, {10, 20}, {100, 30}}},
                                     {.name = "second", .points = {{1, 5}, {10, 29}, {100, 30}}}},
                          .references = {{.name = "limit", .y = 31}}});
  return chart;
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

std::vector<std::string> texts(const AxisMap& axis) {
  std::vector<std::string> result;
  for (const Tick& tick : axis.ticks()) result.push_back(tick.text);
  return result;
}

TEST(Plot, NamesEachLineOnceAtItsEnd) {
  EXPECT_THAT(matches(svg(small_chart()), "class=\"label\"[^>]*>([^<]*)<"),
              ::testing::UnorderedElementsAre("first", "second", "limit"));
}

TEST(Plot, LabelsOfLinesThatEndTogetherDoNotOverlap) {
  std::vector<double> heights;
  for (const std::string& y :
       matches(svg(small_chart()), "class=\"label\" x=\"[0-9.]*\" y=\"([0-9.]*)\""))
    heights.push_back(std::stod(y));
  ASSERT_EQ(heights.size(), 3u);
  std::sort(heights.begin(), heights.end());
  EXPECT_GE(heights[1] - heights[0], 17.9);
  EXPECT_GE(heights[2] - heights[1], 17.9);
}

TEST(Plot, ManyLabelsMakeTheFigureHigher) {
  Chart chart = small_chart();
  for (int i = 0; i < 40; ++i) {
    chart.panels[0].series.push_back(
        {.name = "line " + std::to_string(i), .points = {{1, 30}, {100, 30}}});
  }
  const std::string document = svg(chart);
  const double height = std::stod(matches(document, "viewBox=\"0 0 [0-9]+ ([0-9]+)\"").front());
  for (const std::string& y : matches(document, "class=\"label\" x=\"[0-9.]*\" y=\"([0-9.]*)\""))
    EXPECT_LT(std::stod(y), height);
}

TEST(Plot, LinesDifferInColorOrMarker) {
  Chart chart = small_chart();
  chart.panels[0].series.clear();
  for (int i = 0; i < 20; ++i)
    chart.panels[0].series.push_back({.name = std::to_string(i), .points = {{1, 1}}});
  const std::vector<std::string> looks =
      matches(svg(chart), "<path d=\"M[0-9.]*,[0-9.]*([^\"]*z\" fill=\"#[0-9A-F]*)\"");
  EXPECT_EQ(looks.size(), 20u);
  EXPECT_EQ(std::set<std::string>(looks.begin(), looks.end()).size(), 20u);
}

TEST(Plot, EscapesNames) {
  Chart chart = small_chart();
  chart.title = "a < b & \"c\"\n";
  chart.panels[0].series[0].name = "<script>";
  const std::string document = svg(chart);
  EXPECT_THAT(document, HasSubstr("a &lt; b &amp; &quot;c&quot; "));
  EXPECT_THAT(document, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(document, Not(HasSubstr("<script>")));
}

TEST(Plot, IsTheSameEachTime) { EXPECT_EQ(svg(small_chart()), svg(small_chart())); }

TEST(Plot, ModelsAreDashedAndHaveNoMarkers) {
  Chart chart = small_chart();
  chart.panels[0].references.clear();
  chart.panels[0].series = {{.name = "law", .points = {{1, 1}, {10, 10}}, .model = true}};
  const std::string model = svg(chart);
  chart.panels[0].series[0].model = false;
  const std::string measured = svg(chart);
  EXPECT_THAT(model, HasSubstr("stroke-dasharray=\"7,5\""));
  EXPECT_THAT(measured, Not(HasSubstr("stroke-dasharray=\"7,5\"")));
  EXPECT_EQ(matches(measured, "(<path d=\"M[^\"]*z\")").size(), 2u);
  EXPECT_EQ(matches(model, "(<path d=\"M[^\"]*z\")").size(), 0u);
}

TEST(Plot, RefusesWhatItCannotShow) {
  for (const double wrong : {0.0, -1.0}) {
    Chart chart = small_chart();
    chart.panels[0].series[0].points[1].x = wrong;
    EXPECT_THROW(svg(chart), Error);
  }
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    Chart chart = small_chart();
    chart.panels[0].series[0].points[1].y = wrong;
    EXPECT_THROW(svg(chart), Error);
  }
  Chart empty = small_chart();
  for (Series& series : empty.panels[0].series) series.points.clear();
  EXPECT_THROW(svg(empty), Error);
}

TEST(PlotAxis, LinearTicksAreRoundAndBeginAtZero) {
  EXPECT_THAT(texts(AxisMap({}, 3, 277)),
              ElementsAre("0", "50", "100", "150", "200", "250", "300"));
  EXPECT_THAT(texts(AxisMap({}, 0.1, 0.3)),
              ElementsAre("0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3"));
}

TEST(Plot, APanelMayHaveAnAxisOfItsOwn) {
  Chart chart = small_chart();
  Panel own{.title = "own",
            .series = {{.name = "third", .points = {{1, 4000}, {100, 5000}}}},
            .references = {}};
  own.y = Axis{.title = "bytes a second"};
  const std::string alone = svg(chart);
  chart.panels.push_back(own);
  const std::string both = svg(chart);
  EXPECT_THAT(both, HasSubstr("bytes a second"));
  EXPECT_THAT(matches(both, ">(5,000)<"), ElementsAre("5,000"));
  // The first one is drawn as it is alone.
  const std::string lines = "points=\"([^\"]*)\"";
  EXPECT_EQ(matches(both, lines)[0], matches(alone, lines)[0]);
  EXPECT_EQ(matches(both, lines)[1], matches(alone, lines)[1]);
}

TEST(PlotAxis, LogarithmicTicksAreRound) {
  const Axis log{.title = "", .scale = Scale::kLog};
  EXPECT_THAT(texts(AxisMap(log, 2, 500'000)),
              ElementsAre("10", "100", "1,000", "10,000", "100,000"));
  EXPECT_THAT(texts(AxisMap(log, 2, 60)), ElementsAre("2", "5", "10", "20", "50"));
  EXPECT_GE(AxisMap(log, 31, 37).ticks().size(), 3u);
}

TEST(PlotAxis, SizesAreTicksAtPowersOfTwo) {
  const Axis sizes{.title = "", .scale = Scale::kPowersOf2, .bytes = true};
  EXPECT_THAT(texts(AxisMap(sizes, 64, 1024)),
              ElementsAre("64 B", "128 B", "256 B", "512 B", "1 KiB"));
}

TEST(PlotAxis, AllValuesLieOnTheAxis) {
  for (const Scale scale : {Scale::kLinear, Scale::kLog, Scale::kPowersOf2}) {
    for (const auto& [least, greatest] : {std::pair{1.0, 1.0}, {3.0, 4.0}, {2.0, 5e5}}) {
      const AxisMap axis({.title = "", .scale = scale}, least, greatest);
      EXPECT_GE(axis.fraction(least), 0);
      EXPECT_LE(axis.fraction(greatest), 1);
      EXPECT_LE(axis.fraction(least), axis.fraction(greatest));
      EXPECT_FALSE(axis.ticks().empty());
      for (const Tick& tick : axis.ticks()) {
        EXPECT_GE(axis.fraction(tick.value), -1e-9);
        EXPECT_LE(axis.fraction(tick.value), 1 + 1e-9);
      }
    }
  }
}

TEST(PlotAxis, NumbersAreReadable) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(2.5), "2.5");
  EXPECT_EQ(number_text(1000), "1,000");
  EXPECT_EQ(number_text(500'000), "500,000");
  EXPECT_EQ(number_text(1'234'567), "1,234,567");
  EXPECT_EQ(number_text(-1000), "-1,000");
}

TEST(PlotLabels, StayWhereTheyAreWhenThereIsRoom) {
  EXPECT_THAT(move_apart({10, 40, 80}, 18, 0, 100), ElementsAre(10, 40, 80));
}

TEST(PlotLabels, MoveApartOnBothSides) {
  EXPECT_THAT(move_apart({50, 50}, 18, 0, 100), ElementsAre(41, 59));
  EXPECT_THAT(move_apart({50, 50, 50}, 18, 0, 100), ElementsAre(32, 50, 68));
}

TEST(PlotLabels, StayInside) {
  EXPECT_THAT(move_apart({0, 0}, 18, 0, 100), ElementsAre(0, 18));
  EXPECT_THAT(move_apart({100, 100}, 18, 0, 100), ElementsAre(82, 100));
}

TEST(PlotLabels, NoneAreNone) { EXPECT_TRUE(move_apart({}, 18, 0, 100).empty()); }

}  // namespace
}  // namespace grappa::cli
