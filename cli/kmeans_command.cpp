// grappa kmeans: points in groups around centers.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/number_text.hpp"
#include "cli/output_options.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/grappa.hpp"
#include "grappa/io/output_file.hpp"
#include "grappa/mapreduce/dataset.hpp"
#include "grappa/mapreduce/kmeans/kmeans.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kKMeansDescription =
    "k-means: K centers such that the sum of the squared distances of all points to their nearest "
    "center (the inertia) is small; by Lloyd's algorithm.\n\n"
    "A FILE has a point a line, its coordinates between commas, semicolons, tabs or blanks; a "
    "first line without a number is a header (.csv, .tsv, .txt, also .gz or .zst, - for standard "
    "input). Or it is a two-dimensional array of NumPy (.npy), or of doubles (.bin, with "
    "--columns). Several files, all of one format and with the same columns, are taken as one.\n\n"
    "The iterations end when the squares of the ways of the centers add up to no more than "
    "--tolerance times the mean variance of the columns. Of centers that are equally near the "
    "first one counts; a center without points stays where it is. The result is the same on any "
    "number of cores and locales, but for the rounding of sums.\n\n"
    "--labels writes a line for each point, in their order: the number of its center, from 0. "
    "--centers writes a line for each center: its coordinates, with tabs between them.";

class KMeans {
 public:
  int execute(const Arguments& arguments);

 private:
  void add_options(CommandLine& line);
  bool has_start_file() const { return start_ != "k-means++" && start_ != "random"; }
  std::vector<double> first_centers() const;
  void run_task();
  void print(const mapreduce::KMeansResult& result);
  void write(const mapreduce::KMeansResult& result, int dimensions);

  mapreduce::ReadPointsOptions read_;
  mapreduce::KMeansOptions options_;
  std::int64_t seed_ = 0;
  std::string start_ = "k-means++";
  std::string labels_path_;
  std::string centers_path_;
  std::unique_ptr<io::OutputFile> labels_;
  std::unique_ptr<io::OutputFile> centers_;
  OutputOptions output_;
  std::optional<Report> report_;
};

void KMeans::add_options(CommandLine& line) {
  line.add_positionals("FILE", read_.paths, "points; - for standard input");
  line.add_choice("Points", "--format", read_.format, {"auto", "csv", "npy", "bin"},
                  "of the files: csv is any text; auto: as the name of the first says");
  line.add_count("Points", "--columns", "N", read_.columns, 0, 1'000'000,
                 "coordinates of a point, where the format is bin");
  line.unused_when("--columns", [this] {
    return mapreduce::points_format(read_) == "bin" ? "" : "the file is not of format bin";
  });
  line.add_count("Points", "--skip-bad-records", "N", read_.skip_bad_records, 0,
                 std::numeric_limits<std::int64_t>::max(),
                 "leave out up to N lines that are no points");
  line.add_count("k-means", "-k", "K", options_.k, 1, 100'000'000, "centers");
  line.add_text("k-means", "--start", "HOW", start_,
                "the first centers: chosen among the points, by k-means++ or random; or those of a "
                "file, as --centers writes it, -k of them");
  line.add_count("k-means", "--seed", "N", seed_, 0, std::numeric_limits<std::int64_t>::max(),
                 "of that choice");
  line.add_count("k-means", "--iterations", "N", options_.iterations, 0, 1'000'000'000, "at most");
  line.add_number("k-means", "--tolerance", "X", options_.tolerance, 0, 1e9,
                  "how little the centers move in the end; 0: not at all");
  line.add_text(kOutputGroup, "--labels", "FILE", labels_path_,
                "write the center of each point; - is standard output");
  line.add_text(kOutputGroup, "--centers", "FILE", centers_path_,
                "write the centers; - is standard output");
  output_.add_options(line, OutputOptions::kMetrics);
}

int KMeans::execute(const Arguments& arguments) {
  CommandLine line("kmeans", "FILE... -k K", kKMeansDescription);
  options_.k = 0;
  add_options(line);
  if (!line.parse(arguments)) return 0;
  if (options_.k == 0) throw UsageError("-k: give the number of centers, such as -k 8");
  options_.seed = static_cast<std::uint64_t>(seed_);
  if (start_ == "random") options_.start = mapreduce::KMeansStart::kRandom;
  output_.add_other({"--labels", labels_path_});
  output_.add_other({"--centers", centers_path_});
  std::vector<std::string> inputs = read_.paths;
  if (has_start_file()) inputs.push_back(start_);
  output_.open_for_run(line.config(), inputs);
  if (!labels_path_.empty()) labels_ = std::make_unique<io::OutputFile>(labels_path_);
  if (!centers_path_.empty()) centers_ = std::make_unique<io::OutputFile>(centers_path_);
  report_.emplace(!output_.wants_summary(), output_.quiet());
  report_->set("/kernel", "kmeans");
  run(line.config(), [this] { run_task(); });
  for (const auto* file : {&labels_, &centers_}) {
    if (*file != nullptr) (*file)->commit();
  }
  output_.commit(*report_);
  return 0;
}

std::vector<double> KMeans::first_centers() const {
  if (!std::filesystem::exists(start_)) {
    throw UsageError(fmt::format(
        "--start: k-means++, random or a file was expected, and there is no file '{}'", start_));
  }
  const Owned<mapreduce::Points> centers = mapreduce::read_points({.paths = {start_}});
  if (centers->size() != options_.k)
    throw InputError(
        start_, 0,
        fmt::format("has {} centers, {} expected, as -k says", centers->size(), options_.k));
  return mapreduce::collect(*centers);
}

void KMeans::run_task() {
  print_cores(*report_);
  if (has_start_file()) options_.centers = first_centers();
  read_.progress = report_->progress().reporter("loading points");
  const std::uint64_t start = internal::now_ns();
  std::int64_t skipped = 0;
  read_.skipped = &skipped;
  const Owned<mapreduce::Points> points = mapreduce::read_points(read_);
  const std::uint64_t loaded = internal::now_ns();
  report_->progress().clear();
  report_->line("Points", "{} of {} columns", fact("points", points->size()),
                fact("dimensions", points->dimensions()));
  if (read_.skip_bad_records > 0) report_->line("Skipped", "{} lines", fact("skipped", skipped));
  report_->line("Load time", "{}",
                seconds_fact("/load_seconds", static_cast<double>(loaded - start) * 1e-9));
  options_.progress = [this](std::int64_t iteration) {
    report_->progress().show(fmt::format("iteration {}", iteration));
  };
  const mapreduce::KMeansResult result = mapreduce::kmeans(*points, options_);
  const double seconds = static_cast<double>(internal::now_ns() - loaded) * 1e-9;
  report_->progress().clear();
  report_->at("/trials").push_back(
      {{"seconds", seconds}, {"iteration_seconds", result.seconds_of_iterations}});
  report_->line("Time", "{}", format_seconds(seconds));
  print(result);
  write(result, points->dimensions());
  output_.take_metrics("kmeans", *report_);
}

void KMeans::print(const mapreduce::KMeansResult& result) {
  report_->line("Iterations", "{}{}, {} each", fact("iterations", result.iterations),
                fact("converged", result.converged, result.converged ? "" : ", not converged"),
                format_seconds(result.seconds_of_iterations /
                               static_cast<double>(std::max<std::int64_t>(1, result.iterations))));
  report_->line("Inertia", "{:.9g}", fact("inertia", result.inertia));
  report_->set("sizes", result.sizes);
}

void KMeans::write(const mapreduce::KMeansResult& result, int dimensions) {
  if (labels_ != nullptr) {
    mapreduce::from_cores<std::uint32_t>(*result.labels)
        .write_lines(*labels_,
                     [](std::string& text, std::uint32_t label) { text += std::to_string(label); });
  }
  if (centers_ == nullptr) return;
  std::string line;
  for (std::size_t i = 0; i < result.centers.size(); ++i) {
    append_number(line, result.centers[i]);
    line += (i + 1) % static_cast<std::size_t>(dimensions) == 0 ? '\n' : '\t';
  }
  centers_->write(line);
}

}  // namespace

int run_kmeans(const Arguments& arguments) {
  KMeans kmeans;
  return kmeans.execute(arguments);
}

}  // namespace grappa::cli
