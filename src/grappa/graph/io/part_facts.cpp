#include <fmt/format.h>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/readers.hpp"

namespace grappa::graph::io {
namespace {

[[noreturn]] void refuse_no_edges(const std::string& file, std::int64_t line) {
  throw InputError(file, line, "the file ends without any edge");
}

void check_announced(const std::string& file, const PartFacts& facts) {
  if (facts.announced == facts.edges) return;
  throw InputError(file, facts.header_line,
                   fmt::format("{} {} announced here, but the file has {}", facts.announced,
                               facts.noun, facts.edges));
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
  const PartFacts facts{
      .edges = edges, .header_line = header_line, .announced = announced, .noun = noun};
  if (options.facts == nullptr) return check_announced(reader.file(), facts);
  *options.facts = facts;
}

void check_whole(const std::string& file, std::span<const PartFacts> parts) {
  PartFacts whole = parts.front();  // what the header has said is the same in all
  whole.last_line = parts.back().last_line;
  whole.edges = 0;
  whole.surplus = 0;
  for (const PartFacts& part : parts) {
    whole.edges += part.edges;
    whole.surplus += part.surplus;
  }
  if (!whole.noun.empty()) return check_announced(file, whole);
  if (whole.surplus != 0) {
    throw InputError(file, 0, "damaged: marked undirected, but not every edge has both arcs");
  }
  if (whole.edges == 0 && whole.last_line != 0) refuse_no_edges(file, whole.last_line);
}

}  // namespace grappa::graph::io
