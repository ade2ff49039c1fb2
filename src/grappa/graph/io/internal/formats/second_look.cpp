#include "grappa/graph/io/internal/formats/second_look.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/graph/io/internal/edge_hash.hpp"
#include "grappa/graph/io/internal/formats/headers.hpp"
#include "grappa/io/examined_file.hpp"
#include "grappa/io/text/line_reader.hpp"
#include "grappa/io/text/parse_number.hpp"

namespace grappa::graph::io {
namespace {

struct Arc {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  double weight = 0;
  bool from_low = false;
  std::int64_t line = 0;

  std::uint64_t hash() const { return hash_edge(low, high, weight); }
  auto edge() const { return std::tuple(low, high, weight); }
};

/// Calls use(arc) for all neighbors in a METIS file; vertices count from 1.
template <class Use>
void for_arcs_of_metis(ExaminedFile& file, const Use& use) {
  LineReader reader(Input::open(file), {});
  const MetisHeader header = read_metis_header(reader);
  reader.allow_long_lines();
  std::string_view line;
  std::int64_t line_number = header.line;
  for (std::uint64_t vertex = 1; reader.next_line(line);) {
    ++line_number;
    if (line.starts_with('%')) continue;
    const char* p = skip_blanks(line.data());
    const char* const end = line.data() + line.size();
    std::uint64_t number;
    for (int i = 0; i < header.numbers_before && parse_id(p, number); ++i) p = skip_blanks(p);
    while (p < end && parse_id(p, number)) {
      Arc arc{std::min(vertex, number), std::max(vertex, number), 0, vertex < number, line_number};
      p = skip_blanks(p);
      if (header.has_edge_weights && parse_weight(p, end, arc.weight)) p = skip_blanks(p);
      use(arc);
    }
    ++vertex;
  }
}

}  // namespace

std::int64_t line_of_second(const std::string& path, std::uint64_t vertex) {
  ExaminedFile file(path);
  if (!file.is_on_disk()) return 0;
  LineReader reader(Input::open(file), {});
  std::string_view line;
  for (int seen = 0; reader.next_line(line);) {
    const char* p = skip_blanks(line.data());
    std::uint64_t number;
    if (parse_id(p, number) && number == vertex && ++seen == 2) return reader.last_line();
  }
  return 0;
}

// Memory for all edges would be too much: only those are kept whose hash falls where the sums of
// both sides differ.
OneSidedEdge find_one_sided_edge(const std::string& path) {
  ExaminedFile file(path);
  if (!file.is_on_disk()) return {};
  constexpr std::size_t kSums = std::size_t{1} << 16;
  std::vector<std::uint64_t> sums(kSums, 0);
  for_arcs_of_metis(file, [&](const Arc& arc) {
    std::uint64_t& sum = sums[arc.hash() % kSums];
    sum = arc.from_low ? sum + arc.hash() : sum - arc.hash();
  });
  std::vector<Arc> arcs;
  for_arcs_of_metis(file, [&](const Arc& arc) {
    if (sums[arc.hash() % kSums] != 0) arcs.push_back(arc);
  });
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const Arc& a, const Arc& b) { return a.edge() < b.edge(); });
  OneSidedEdge first;
  for (auto arc = arcs.begin(); arc != arcs.end();) {
    const auto next = std::find_if(arc, arcs.end(),
                                   [&](const Arc& other) { return other.edge() != arc->edge(); });
    const auto from_low = std::count_if(arc, next, [](const Arc& a) { return a.from_low; });
    if (2 * from_low != next - arc && (first.line == 0 || arc->line < first.line)) {
      first = {arc->line, static_cast<std::int64_t>(arc->low),
               static_cast<std::int64_t>(arc->high)};
      if (!arc->from_low) std::swap(first.vertex, first.neighbor);
    }
    arc = next;
  }
  return first;
}

}  // namespace grappa::graph::io
