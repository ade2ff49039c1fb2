#include "grappa/graph/io/save.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/output_path.hpp"
#include "grappa/graph/io/internal/formats/writers.hpp"
#include "grappa/io/compression/compression.hpp"
#include "grappa/io/output_file.hpp"

namespace grappa::graph {
namespace {

// The names of several files are made from one, which must not be that of a device or a pipe:
// /dev/null.e would be a file in /dev.
void refuse_other_than_file(const std::string& path) {
  const std::string target = internal::follow_links(path);
  std::error_code ignored;
  const auto status = std::filesystem::status(target, ignored);
  if (!internal::descriptor_of(target) &&
      (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)))
    return;
  throw UsageError(
      fmt::format("{}: an LDBC graph is several files; give the name of a file", path));
}

struct LdbcNames {
  explicit LdbcNames(const std::string& path) {
    refuse_other_than_file(path);
    const std::string_view plain = without_compression(path);
    const std::string compression = path.substr(plain.size());
    const bool named = plain.ends_with(".e") || plain.ends_with(".v");
    base = plain.substr(0, plain.size() - (named ? 2 : 0));
    vertices = base + ".v" + compression;
    edges = base + ".e" + compression;
    properties = base + ".properties";
  }
  std::string base;
  std::string vertices;
  std::string edges;
  std::string properties;
};

std::string save_ldbc(const EdgeList& list, const std::string& path, const ParallelFor& parallel) {
  const LdbcNames names(path);
  OutputFile vertices(names.vertices);
  OutputFile edges(names.edges);
  OutputFile properties(names.properties);
  std::string note = io::write_ldbc(list, vertices, edges, parallel);
  properties.write(fmt::format("graph.{}.directed = {}\n",
                               std::filesystem::path(names.base).filename().string(),
                               list.directed));
  vertices.commit();
  edges.commit();
  properties.commit();
  return note;
}

std::string write(const EdgeList& list, Format format, OutputFile& out,
                  const ParallelFor& parallel) {
  switch (format) {
    case Format::kCsv:
      return io::write_csv(list, out, parallel);
    case Format::kMatrixMarket:
      return io::write_matrix_market(list, out, parallel);
    case Format::kMetis:
      return io::write_metis(list, out, parallel);
    case Format::kDimacs:
      return io::write_dimacs(list, out, parallel);
    case Format::kGap:
      return io::write_gap(list, false, out, parallel);
    case Format::kGapWeighted:
      return io::write_gap(list, true, out, parallel);
    case Format::kGrappa:
      return io::write_grappa(list, out, parallel);
    default:
      return io::write_text(list, format, out, parallel);
  }
}

Format format_to_save(const SaveOptions& options) {
  if (options.format != Format::kAuto) return options.format;
  return options.path == "-" ? Format::kText : format_of_path(options.path);
}

}  // namespace

std::vector<std::string> files_to_save(const SaveOptions& options) {
  if (format_to_save(options) != Format::kLdbc) return {options.path};
  const LdbcNames names(options.path);
  return {names.vertices, names.edges, names.properties};
}

std::string save_edge_list(EdgeList list, const SaveOptions& options, const ParallelFor& parallel) {
  const Format format = format_to_save(options);
  if (list.needs_simplify) simplify(list, parallel);
  if (format == Format::kLdbc) return save_ldbc(list, options.path, parallel);
  OutputFile out(options.path);
  std::string note = write(list, format, out, parallel);
  out.commit();
  return note;
}

}  // namespace grappa::graph
