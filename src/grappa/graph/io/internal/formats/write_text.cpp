// .txt, .el, .wel, .tsv, .csv: an edge a line, with the names that the vertices have.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/formats/writers.hpp"

namespace grappa::graph::io {
namespace {

constexpr std::string_view kUndirectedNote =
    "the file does not say that its edges are undirected: read it with --undirected";

// UsageError for a string name that would not be read back as the same.
void check_names(const EdgeList& list, Format format, const std::string& path) {
  if (list.names.is_integer()) return;
  const std::string_view separators = format == Format::kTabs ? "\t\r\n" : " \t\r\n";
  for (VertexId id = 0; id < list.names.size(); ++id) {
    const std::string_view name = list.names.text(id);
    const bool comment = name.starts_with('#') || name.starts_with('%');
    const bool padded = name.starts_with(' ') || name.ends_with(' ');
    if (comment || padded || name.find_first_of(separators) != std::string_view::npos) {
      throw UsageError(fmt::format(
          "{}: the vertex name '{}' cannot be written in this format; .csv can", path, name));
    }
  }
}

bool writes_weights(const EdgeList& list, Format format) {
  if (format == Format::kBareText) return false;
  return !list.weights.empty() || format == Format::kWeightedText;
}

// Quotes where the field needs them.
void append_csv_name(std::string& buffer, const VertexNames& names, VertexId id) {
  if (names.is_integer()) return names.append(buffer, id);
  const std::string_view name = names.text(id);
  const bool plain = name.find_first_of(",;\"") == std::string_view::npos &&
                     !name.starts_with(' ') && !name.ends_with(' ') && !name.starts_with('#') &&
                     name.find('\t') == std::string_view::npos;
  if (plain) {
    buffer += name;
    return;
  }
  buffer += '"';
  for (const char c : name) {
    buffer += c;
    if (c == '"') buffer += c;
  }
  buffer += '"';
}

}  // namespace

std::string write_text(const EdgeList& list, Format format, OutputFile& out,
                       const ParallelFor& parallel) {
  check_names(list, format, out.path());
  const bool comments = format == Format::kText || format == Format::kTabs;
  const bool weighted = writes_weights(list, format);
  // GAP's readers take blanks as well as tabs; others of .el and .wel only blanks.
  const char separator = comments ? '\t' : ' ';
  if (comments) {
    out.write(fmt::format("# {} graph: {} vertices, {} edges\n",
                          list.directed ? "Directed" : "Undirected", list.vertex_count,
                          list.edges.size()));
    out.write(weighted ? "# source\ttarget\tweight\n" : "# source\ttarget\n");
  }
  write_edge_lines(out, list, separator, weighted, parallel, [&](std::string& buffer, Edge edge) {
    list.names.append(buffer, edge.source);
    buffer += separator;
    list.names.append(buffer, edge.target);
  });
  std::string note = note_isolated(list);
  if (weighted && list.weights.empty()) note = join_notes(note, "there are no weights: all are 1");
  if (!weighted && !list.weights.empty()) note = join_notes(note, "weights are left out");
  if (!comments && !list.directed) note = join_notes(note, std::string(kUndirectedNote));
  return note;
}

std::string write_csv(const EdgeList& list, OutputFile& out, const ParallelFor& parallel) {
  const bool weighted = !list.weights.empty();
  out.write(weighted ? "source,target,weight\n" : "source,target\n");
  write_edge_lines(out, list, ',', weighted, parallel, [&](std::string& buffer, Edge edge) {
    append_csv_name(buffer, list.names, edge.source);
    buffer += ',';
    append_csv_name(buffer, list.names, edge.target);
  });
  return join_notes(note_isolated(list),
                    list.directed ? std::string() : std::string(kUndirectedNote));
}

}  // namespace grappa::graph::io
