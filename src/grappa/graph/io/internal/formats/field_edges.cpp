#include "grappa/graph/io/internal/formats/field_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "grappa/graph/io/internal/formats/edge_block.hpp"
#include "grappa/graph/io/internal/formats/edge_reader.hpp"
#include "grappa/graph/io/internal/names/compact_ids.hpp"
#include "grappa/graph/io/internal/names/name_table.hpp"
#include "grappa/io/text/parse_number.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

struct EdgeText {
  std::string_view source;
  std::string_view target;
  double weight = 0;
};

std::string refuse_name(std::string_view name, char separator) {
  if (name.empty()) return "a vertex name is empty";
  // What is written has one between a name and its value.
  if (name.find('\t') != std::string_view::npos)
    return fmt::format("a vertex name with a tab in it: {}", quoted(name));
  constexpr std::string_view kOtherSeparators = ",;";
  if (separator == ' ' && (kOtherSeparators.find(name.front()) != std::string_view::npos ||
                           kOtherSeparators.find(name.back()) != std::string_view::npos)) {
    return fmt::format("{}: columns are divided by blanks here; give --format csv for others",
                       quoted(name));
  }
  if (has_control_characters(name) || !is_valid_utf8(name)) {
    return fmt::format("expected a vertex name in UTF-8, found {}", quoted(name));
  }
  return {};
}

class FieldEdgeParser {
 public:
  FieldEdgeParser(const FieldEdgeRules& rules, std::size_t max_line_bytes)
      : rules_(rules),
        splitter_(rules.fields),
        max_line_bytes_(max_line_bytes),
        columns_(1 + std::max({rules.roles.source, rules.roles.target,
                               rules.weighted ? rules.roles.weight : 0})) {}

  // Returns what is wrong with the line, or nothing.
  std::string parse(std::string_view line, EdgeText& edge) {
    if (line.size() > max_line_bytes_) {
      return fmt::format("line longer than {} bytes", max_line_bytes_);
    }
    if (has_lone_return(line)) return std::string(kLoneReturn);
    std::string problem = splitter_.split(line);
    if (!problem.empty()) return problem;
    const auto found = static_cast<int>(splitter_.fields().size());
    if (found < columns_ || (found > columns_ && !rules_.more_columns)) {
      return fmt::format("{}, {} expected", counted(found, "column"), columns_);
    }
    edge.source = field(rules_.roles.source);
    edge.target = field(rules_.roles.target);
    for (const std::string_view name : {edge.source, edge.target}) {
      problem = rules_.string_names ? refuse_name(name, rules_.fields.separator) : refuse_id(name);
      if (!problem.empty()) return problem;
    }
    return rules_.weighted ? parse_weight_field(edge.weight) : std::string();
  }

 private:
  std::string_view field(int column) const {
    return splitter_.fields()[static_cast<std::size_t>(column)];
  }

  std::string parse_weight_field(double& weight) const {
    const std::string_view text = field(rules_.roles.weight);
    std::string problem = refuse_weight(text, rules_.least_weight);
    if (problem.empty()) {
      const char* p = text.data();
      parse_weight(p, text.data() + text.size(), weight);
    }
    return problem;
  }

  const FieldEdgeRules& rules_;
  FieldSplitter splitter_;
  std::size_t max_line_bytes_;
  int columns_;
};

// Parses the lines of a chunk; add(edge text) makes an edge of each.
template <class EdgeT, class Add>
ChunkResult parse_field_lines(std::string_view chunk, const FieldEdgeRules& rules,
                              std::size_t max_line_bytes, EdgeT* edges, double* weights,
                              const Add& add) {
  FieldEdgeParser parser(rules, max_line_bytes);
  EdgeText text;
  ChunkResult result;
  const char* const end = chunk.data() + chunk.size();
  const char* p = chunk.data();
  while (p != end) {
    const std::string_view line = line_from(p, end);
    if (!is_blank_or_comment(line, rules.fields)) {
      if (!parser.parse(line, text).empty()) {
        result.stop = p;
        result.reason = StopReason::kBadLine;
        return result;
      }
      edges[result.edges] = add(text);
      if (rules.weighted) weights[result.edges] = text.weight;
      ++result.edges;
    }
    p = std::find(line.data() + line.size(), end, '\n');
    if (p != end) ++p;
  }
  return result;
}

[[noreturn]] void fail_at_field_line(const LineReader& reader, std::string_view block,
                                     const char* stop, const FieldEdgeRules& rules) {
  EdgeText text;
  FieldEdgeParser parser(rules, reader.max_line_bytes());
  reader.fail_at(stop, parser.parse(line_from(stop, block.data() + block.size()), text));
}

void read_with_integers(LineReader& reader, const FieldEdgeRules& rules, const ReadOptions& options,
                        const ParallelFor& parallel, EdgeList& list) {
  EdgeArrays<WideEdge> arrays;
  arrays.has_weights = rules.weighted;
  const auto add = [](const EdgeText& text) {
    return WideEdge{*integer_of(text.source), *integer_of(text.target)};
  };
  std::string_view block;
  while (reader.next_block(block)) {
    const BlockResult bad = parse_block(
        block, options.chunk_bytes, reader.fraction(), arrays, parallel,
        [&](std::size_t, std::string_view chunk, WideEdge* edges, double* weights) {
          return parse_field_lines(chunk, rules, reader.max_line_bytes(), edges, weights, add);
        });
    if (bad.stop != nullptr) fail_at_field_line(reader, block, bad.stop, rules);
    report_progress(reader, options);
  }
  list.weights = std::move(arrays.weights);
  compact_ids(arrays.edges, list, reader.file(), parallel);
}

// Each chunk numbers the names it meets for itself; one after the other they are then entered into
// the common table, and the chunks renumbered.
class NamedBlocks {
 public:
  NamedBlocks(const LineReader& reader, const FieldEdgeRules& rules, const ReadOptions& options,
              const ParallelFor& parallel)
      : reader_(reader), rules_(rules), options_(options), parallel_(parallel) {
    arrays_.has_weights = rules.weighted;
  }

  void add_block(std::string_view block) {
    const std::size_t chunks = split_at_lines(block, options_.chunk_bytes).size();
    std::vector<NameTable> tables(chunks);
    std::vector<std::int64_t> counts(chunks);
    const std::size_t base = arrays_.edges.size();
    const BlockResult bad = parse_block(
        block, options_.chunk_bytes, reader_.fraction(), arrays_, parallel_,
        [&](std::size_t chunk, std::string_view text, Edge* edges, double* weights) {
          const ChunkResult result = parse_field_lines(
              text, rules_, reader_.max_line_bytes(), edges, weights, [&](const EdgeText& edge) {
                const VertexId source = tables[chunk].add(edge.source);
                return Edge{source, tables[chunk].add(edge.target)};
              });
          counts[chunk] = result.edges;
          return result;
        });
    if (bad.stop != nullptr) fail_at_field_line(reader_, block, bad.stop, rules_);
    enter_names(tables, counts, base);
  }

  void finish(EdgeList& list) {
    std::vector<VertexId> place;
    list.names = names_.sorted(place);
    list.vertex_count = list.names.size();
    renumber_edges(arrays_.edges, arrays_.edges, parallel_, [&](VertexId id) { return place[id]; });
    list.edges = std::move(arrays_.edges);
    list.weights = std::move(arrays_.weights);
  }

 private:
  void enter_names(const std::vector<NameTable>& tables, const std::vector<std::int64_t>& counts,
                   std::size_t base) {
    std::vector<std::vector<VertexId>> places(tables.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
      for (VertexId id = 0; id < std::ssize(tables[i]); ++id) {
        places[i].push_back(names_.add(tables[i].name(id)));
      }
      check_vertex_count(names_.size(), reader_.file());
    }
    std::vector<Edge*> begins;
    Edge* next = arrays_.edges.data() + base;
    for (const std::int64_t count : counts) {
      begins.push_back(next);
      next += count;
    }
    for_parts(parallel_, static_cast<std::int64_t>(tables.size()), [&](std::int64_t part) {
      const auto i = static_cast<std::size_t>(part);
      std::for_each(begins[i], begins[i] + counts[i],
                    [&](Edge& edge) { edge = {places[i][edge.source], places[i][edge.target]}; });
    });
  }

  const LineReader& reader_;
  const FieldEdgeRules& rules_;
  const ReadOptions& options_;
  const ParallelFor& parallel_;
  EdgeArrays<Edge> arrays_;
  NameTable names_;
};

}  // namespace

void read_field_edges(LineReader& reader, const FieldEdgeRules& rules, const ReadOptions& options,
                      const ParallelFor& parallel, EdgeList& list) {
  if (!rules.string_names) return read_with_integers(reader, rules, options, parallel, list);
  NamedBlocks blocks(reader, rules, options, parallel);
  std::string_view block;
  while (reader.next_block(block)) {
    blocks.add_block(block);
    report_progress(reader, options);
  }
  blocks.finish(list);
}

}  // namespace grappa::graph::io
