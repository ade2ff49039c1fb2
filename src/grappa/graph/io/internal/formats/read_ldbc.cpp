// LDBC Graphalytics: two files, vertices and edges.
//
//   graph.v:  1            graph.e:  1 4 0.5       source target [weight]
//             4                      4 9 1.25
//             9
//
// An edge between vertices that graph.v does not list is an error.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "grappa/graph/io/internal/formats/columns.hpp"
#include "grappa/graph/io/internal/formats/edge_block.hpp"
#include "grappa/graph/io/internal/formats/edge_reader.hpp"
#include "grappa/graph/io/internal/formats/leading_comments.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/graph/io/internal/formats/second_look.hpp"
#include "grappa/graph/io/internal/names/compact_ids.hpp"
#include "grappa/io/text/parse_number.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

const EdgeLineRules kVertexRules{.comments = "#", .columns = 1};

// "id [property ...]" a line.
ChunkResult parse_vertex_lines(std::string_view chunk, std::uint64_t* names) {
  ChunkResult result;
  const char* const end = chunk.data() + chunk.size();
  const char* p = chunk.data();
  while (p != end) {
    const char* const line = p;
    p = detail::skip_line_without_edge(line, end, kVertexRules);
    if (p != nullptr) continue;
    p = skip_blanks(line);
    p = parse_id(p, names[result.edges]) ? detail::finish_line(line, p, end, 1, kVertexRules)
                                         : nullptr;
    if (p == nullptr) {
      result.stop = line;
      result.reason = StopReason::kBadLine;
      return result;
    }
    ++result.edges;
  }
  return result;
}

std::string describe_bad_vertex_line(std::string_view line) {
  if (has_control_characters(line)) return fmt::format("binary data, not text: {}", quoted(line));
  const std::vector<std::string_view> words = split_words(line);
  std::string problem = words.empty() ? std::string() : refuse_id(words.front());
  return problem.empty() ? fmt::format("expected one vertex id, found {}", quoted(line)) : problem;
}

std::vector<std::uint64_t> read_vertex_names(LineReader& reader, const ReadOptions& options,
                                             const ParallelFor& parallel) {
  EdgeArrays<std::uint64_t> arrays;
  std::string_view block;
  while (reader.next_block(block)) {
    const BlockResult bad =
        parse_block(block, options.chunk_bytes, reader.fraction(), arrays, parallel,
                    [](std::size_t, std::string_view chunk, std::uint64_t* names, double*) {
                      return parse_vertex_lines(chunk, names);
                    });
    if (bad.stop != nullptr) {
      const std::string_view line = line_from(bad.stop, block.data() + block.size());
      reader.fail_at(bad.stop, describe_bad_vertex_line(line));
    }
  }
  std::vector<std::uint64_t> names(arrays.edges.begin(), arrays.edges.end());
  if (names.empty()) reader.fail(reader.last_line(), "the file ends without any vertex");
  if (!std::is_sorted(names.begin(), names.end())) std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    reader.fail(line_of_second(reader.file(), *twice),
                fmt::format("vertex {} is listed twice", *twice));
  }
  check_vertex_count(names.size(), reader.file());
  return names;
}

}  // namespace

EdgeList read_ldbc(LineReader* vertices, LineReader& edges, const ReadOptions& options,
                   const ParallelFor& parallel) {
  const FieldRules fields{.comments = "#"};
  const ColumnSample sample = sample_columns(edges.peek(), fields);
  EdgeLineRules rules{.comments = "#",
                      .more_columns = !options.want_weights || sample.columns > 2,
                      .weighted = options.want_weights && sample.columns > 2,
                      .least_weight = options.least_weight,
                      .max_line_bytes = edges.max_line_bytes()};
  rules.columns = rules.weighted ? 3 : 2;

  begin_part(edges, options);
  EdgeList list;
  list.directed = options.directed.value_or(true);
  // The third column is the weight by definition: leaving it out is no news.
  add_note(list, note_ignored_columns(sample, {0, 1, 2}));
  if (vertices == nullptr) {
    add_note(list, "there is no file of vertices: those without edges are missing");
    read_raw_edges(edges, rules, options, parallel, list);
    finish_edges(edges, options, list);
    return list;
  }
  IdIndex index =
      IdIndex::from_ascending(read_vertex_names(*vertices, options, parallel), parallel);
  const ListedName names{&index, vertices->file()};
  list.edges = read_edges(edges, rules, names, options, parallel, list.weights);
  list.vertex_count = index.size();
  list.names = std::move(index).take_names();
  return list;
}

}  // namespace grappa::graph::io
