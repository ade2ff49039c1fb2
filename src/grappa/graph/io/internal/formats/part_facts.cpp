#include <fmt/format.h>

#include <algorithm>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/graph/io/internal/formats/second_look.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

[[noreturn]] void refuse_no_edges(const std::string& file, std::int64_t line) {
  throw InputError(file, line, "the file ends without any edge");
}

void check_announced(const std::string& file, const PartFacts& facts) {
  if (facts.announced == facts.edges) return;
  throw InputError(file, facts.header_line,
                   fmt::format("{} announced here, but the file has {}",
                               counted(facts.announced, facts.noun), facts.edges));
}

[[noreturn]] void refuse_one_sided_edge(const std::string& file) {
  const OneSidedEdge edge = find_one_sided_edge(file);
  const std::string message = "an edge is only in the line of one of its ends, or has two weights";
  if (edge.line == 0) throw InputError(file, 0, message);
  throw InputError(
      file, edge.line,
      fmt::format("{}: that from vertex {} to {}", message, edge.vertex, edge.neighbor));
}

// Of METIS. Afterwards the number of edges can be compared.
void check_rows(const std::string& file, PartFacts& facts) {
  if (facts.rows < facts.announced_rows) {
    throw InputError(file, facts.last_line,
                     fmt::format("the file ends after the line of vertex {} of {}", facts.rows,
                                 facts.announced_rows));
  }
  if (facts.surplus != 0) refuse_one_sided_edge(file);
  facts.edges /= 2;
}

}  // namespace

void begin_part(LineReader& reader, const ReadOptions& options) {
  if (options.parts > 1) reader.restrict_to_part(options.part, options.parts);
}

void finish_edges(const LineReader& reader, const ReadOptions& options, const EdgeList& list) {
  const bool none = list.edges.empty();
  if (options.facts == nullptr) {
    if (none) refuse_no_edges(reader.file(), reader.last_line());
    return;
  }
  options.facts->edges = static_cast<std::int64_t>(list.edges.size());
  options.facts->own_numbers = true;
  if (none) options.facts->last_line = reader.last_line();
}

void finish_announced(const LineReader& reader, const ReadOptions& options, std::int64_t edges,
                      std::int64_t header_line, std::int64_t announced, std::string_view noun) {
  const PartFacts facts{.edges = edges,
                        .header_line = header_line,
                        .announced = announced,
                        .noun = std::string(noun)};
  finish_part(reader.file(), options, facts);
}

void finish_part(const std::string& file, const ReadOptions& options, const PartFacts& facts) {
  if (options.facts == nullptr) return check_whole(file, {&facts, 1});
  *options.facts = facts;
}

void check_whole(const std::string& file, std::span<const PartFacts> parts) {
  PartFacts whole = parts.front();  // what the header has said is the same in all
  whole.edges = 0;
  whole.rows = 0;
  std::uint64_t surplus = 0;  // of hashes: it may wrap
  for (const PartFacts& part : parts) {
    whole.edges += part.edges;
    whole.rows += part.rows;
    whole.last_line = std::max(whole.last_line, part.last_line);
    surplus += static_cast<std::uint64_t>(part.surplus);
  }
  whole.surplus = static_cast<std::int64_t>(surplus);
  if (whole.announced_rows != 0) check_rows(file, whole);
  if (!whole.noun.empty()) return check_announced(file, whole);
  if (whole.surplus != 0) {
    throw InputError(file, 0,
                     "damaged: its arcs do not agree with one another, or with their checksum");
  }
  if (whole.edges == 0 && whole.last_line != 0) refuse_no_edges(file, whole.last_line);
}

}  // namespace grappa::graph::io
