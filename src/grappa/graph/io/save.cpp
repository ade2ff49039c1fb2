#include "grappa/graph/io/save.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/output_file.hpp"
#include "grappa/graph/io/writers.hpp"

namespace grappa::graph {
namespace {

std::string save_ldbc(const EdgeList& list, const std::string& path, const ParallelFor& parallel) {
  if (path == "-") throw UsageError("an LDBC graph is several files: standard output cannot be it");
  const std::string_view plain = without_compression(path);
  const std::string compression = path.substr(plain.size());
  const bool named = plain.ends_with(".e") || plain.ends_with(".v");
  const std::string base(named ? plain.substr(0, plain.size() - 2) : plain);

  OutputFile vertices(base + ".v" + compression);
  OutputFile edges(base + ".e" + compression);
  OutputFile properties(base + ".properties");
  std::string note = io::write_ldbc(list, vertices, edges, parallel);
  properties.write(fmt::format("graph.{}.directed = {}\n",
                               std::filesystem::path(base).filename().string(), list.directed));
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

}  // namespace

std::string save_edge_list(EdgeList list, const SaveOptions& options, const ParallelFor& parallel) {
  const Format format = options.format == Format::kAuto
                            ? (options.path == "-" ? Format::kText : format_of_path(options.path))
                            : options.format;
  if (list.needs_simplify) simplify(list, parallel);
  if (format == Format::kLdbc) return save_ldbc(list, options.path, parallel);
  OutputFile out(options.path);
  std::string note = write(list, format, out, parallel);
  out.commit();
  return note;
}

}  // namespace grappa::graph
