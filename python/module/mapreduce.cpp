#include "python/module/mapreduce.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/container/array_spans.hpp"
#include "grappa/container/global_array.hpp"
#include "grappa/io/output_file.hpp"
#include "grappa/mapreduce/kmeans/kmeans.hpp"
#include "grappa/mapreduce/sort/sort_text.hpp"
#include "grappa/mapreduce/word_count.hpp"
#include "python/module/arrays.hpp"
#include "python/module/session.hpp"

namespace grappa::python {
namespace {

nb::tuple count_words(const std::shared_ptr<PySession>& session,
                      const std::vector<std::string>& files, bool lower, bool letters, int ngrams,
                      std::int64_t top) {
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> counts;
  session->call([&] {
    session->note("counting words");
    const auto found = mapreduce::count_words(
        files, {.lower = lower, .letters = letters, .ngrams = ngrams},
        {.progress = [&](double fraction) { session->note("counting words", fraction); }});
    const auto words = top < 0 ? found.sort(mapreduce::most_frequent_first).collect()
                               : found.top(top, mapreduce::most_frequent_first);
    for (const auto& [word, times] : words) {
      bytes.insert(bytes.end(), word.begin(), word.end());
      offsets.push_back(std::ssize(bytes));
      counts.push_back(times);
    }
  });
  return nb::make_tuple(nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(bytes))),
                        to_numpy(std::move(counts)));
}

nb::dict sort_files(const std::shared_ptr<PySession>& session, std::vector<std::string> files,
                    const std::string& out, const std::string& by, int column,
                    const std::string& separator, bool reverse, std::int64_t skip_bad_records) {
  mapreduce::SortOptions options{.paths = std::move(files),
                                 .column = column,
                                 .reverse = reverse,
                                 .skip_bad_records = skip_bad_records};
  using By = mapreduce::SortOptions::By;
  options.by = by == "records" ? By::kRecords : by == "number" ? By::kNumber : By::kBytes;
  if (separator.size() != 1) throw UsageError("separator: one character was expected");
  options.separator = separator[0];
  options.progress = [&](std::string_view step, double fraction) { session->note(step, fraction); };
  const mapreduce::SortSummary sorted = session->call([&] {
    io::OutputFile file(out);
    const mapreduce::SortSummary made = mapreduce::sort_text(options, file);
    file.commit();
    return made;
  });
  nb::dict facts;
  facts["records"] = sorted.records;
  facts["bytes"] = sorted.bytes;
  facts["skipped"] = sorted.skipped;
  facts["seconds"] = sorted.sort_seconds;
  return facts;
}

/// Rows of so many numbers from `from` on, on this locale, as points of all locales.
Owned<mapreduce::Points> points_of(const double* from, std::int64_t rows, std::int64_t width) {
  const auto columns = static_cast<int>(width);
  const auto count = static_cast<std::size_t>(width);
  if (locale_count() == 1) {
    return mapreduce::make_points(rows, columns, [=](std::int64_t row, double* to) {
      std::copy_n(from + row * width, width, to);
    });
  }
  const Owned<GlobalArray<double>> all = GlobalArray<double>::create_for_overwrite(rows * width);
  write_span(*all, 0, std::span(from, static_cast<std::size_t>(rows) * count));
  return mapreduce::make_points(rows, columns, [=, given = *all](std::int64_t row, double* to) {
    read_span(given, row * width, std::span(to, count));
  });
}

/// All coordinates, and how many a point has; lines that were left out, too.
nb::tuple read_points(const std::shared_ptr<PySession>& session, const std::string& path,
                      const std::string& format, int columns, std::int64_t skip_bad_records) {
  std::int64_t skipped = 0;
  const mapreduce::ReadPointsOptions options{
      .paths = {path},
      .format = format,
      .columns = columns,
      .skip_bad_records = skip_bad_records,
      .skipped = &skipped,
      .progress = [&](double fraction) { session->note("reading points", fraction); }};
  int width = 0;
  std::vector<double> all;
  session->call([&] {
    session->note("reading points");
    const Owned<mapreduce::Points> points = mapreduce::read_points(options);
    width = points->dimensions();
    all = mapreduce::collect(*points);
  });
  return nb::make_tuple(to_numpy(std::move(all)), width, skipped);
}

using Matrix = nb::ndarray<nb::ro, double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple kmeans(const std::shared_ptr<PySession>& session, const Matrix& points, int k,
                 const std::string& start, const std::optional<Matrix>& centers, std::uint64_t seed,
                 std::int64_t iterations, double tolerance) {
  const auto rows = static_cast<std::int64_t>(points.shape(0));
  const std::size_t width = points.shape(1);
  mapreduce::KMeansOptions options{.k = k,
                                   .start = start == "random" ? mapreduce::KMeansStart::kRandom
                                                              : mapreduce::KMeansStart::kPlusPlus,
                                   .seed = seed,
                                   .iterations = iterations,
                                   .tolerance = tolerance,
                                   .progress = [&](std::int64_t iteration) {
                                     session->note(fmt::format("k-means: iteration {}", iteration));
                                   }};
  if (centers) {
    if (std::cmp_not_equal(centers->shape(0), k) || centers->shape(1) != width)
      throw UsageError(fmt::format("centers of shape ({}, {}): ({}, {}) was expected",
                                   centers->shape(0), centers->shape(1), k, width));
    options.centers.assign(centers->data(), centers->data() + centers->size());
  }
  std::vector<std::uint32_t> labels;
  mapreduce::KMeansResult found = session->call([&] {
    const Owned<mapreduce::Points> all =
        points_of(points.data(), rows, static_cast<std::int64_t>(width));
    mapreduce::KMeansResult result = mapreduce::kmeans(*all, options);
    labels = mapreduce::from_cores<std::uint32_t>(*result.labels).collect();
    result.labels.reset();
    return result;
  });
  return nb::make_tuple(to_numpy(std::move(found.centers)), to_numpy(std::move(labels)),
                        found.inertia, found.iterations, found.converged);
}

}  // namespace

void add_mapreduce(nb::module_& module) {
  module.def("count_words", &count_words);
  module.def("sort_files", &sort_files);
  module.def("read_points", &read_points);
  module.def("kmeans", &kmeans, nb::arg("session"), nb::arg("points"), nb::arg("k"),
             nb::arg("start"), nb::arg("centers").none(), nb::arg("seed"), nb::arg("iterations"),
             nb::arg("tolerance"));
}

}  // namespace grappa::python
