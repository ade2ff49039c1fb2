// METIS files: a header, then for each vertex a line with its neighbors. Undirected; each edge
// stands in the lines of both its ends.
//
//   % comment
//   3 2 1              vertices edges [fmt [ncon]]; fmt 1: edge weights, 10: vertex weights,
//   2 5                100: vertex sizes; here: vertex 1 has an edge of weight 5 to vertex 2
//   1 5 3 7
//   2 7
//
// An edge is taken from the line of its smaller end. That both ends agree is checked by sums of
// hashes, so nothing has to be kept or looked up for it.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "grappa/graph/io/internal/edge_hash.hpp"
#include "grappa/graph/io/internal/formats/edge_block.hpp"
#include "grappa/graph/io/internal/formats/edge_reader.hpp"
#include "grappa/graph/io/internal/formats/headers.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/io/text/parse_number.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

// What a stretch of lines holds.
struct AdjacencyPart {
  UninitializedVector<Edge> edges;      // those to larger neighbors
  UninitializedVector<double> weights;  // empty, or one for each edge
  std::int64_t neighbors = 0;           // in all
  std::uint64_t to_larger = 0;          // sums of hashes of the edges to larger neighbors,
  std::uint64_t to_smaller = 0;         // and to smaller ones
  const char* stop = nullptr;           // the line with an error
};

bool is_comment(const char* line) noexcept { return *line == '%'; }

bool at_line_end(const char* p, const char* end) noexcept {
  return p == end || *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
}

const char* behind_line(const char* p, const char* end) noexcept {
  if (p != end && *p == '\r') ++p;
  return p == end ? end : p + 1;
}

class AdjacencyParser {
 public:
  AdjacencyParser(const MetisHeader& header, const ReadOptions& options)
      : header_(header),
        vertices_(static_cast<std::uint64_t>(header.vertices)),
        keep_weights_(header.has_edge_weights && options.want_weights),
        least_weight_(keep_weights_ ? options.least_weight : kLeastWeight) {}

  // The lines of `chunk`, the first of which is that of `vertex` (from 0).
  AdjacencyPart parse(std::string_view chunk, std::int64_t vertex) const {
    AdjacencyPart part;
    const char* const end = chunk.data() + chunk.size();
    const char* p = chunk.data();
    while (p != end) {
      const char* const line = p;
      if (is_comment(p)) {
        const std::string_view comment = line_from(p, end);
        p = behind_line(comment.data() + comment.size(), end);
        continue;
      }
      p = parse_line(p, end, static_cast<std::uint64_t>(vertex++), part);
      if (p == nullptr) {
        part.stop = line;
        return part;
      }
    }
    return part;
  }

  // What is wrong with the line of `vertex` (from 0), at which parse() stopped.
  std::string describe(std::string_view line, std::int64_t vertex) const;

 private:
  // The line of `vertex`; returns the next line, or null.
  const char* parse_line(const char* p, const char* end, std::uint64_t vertex,
                         AdjacencyPart& part) const {
    p = skip_blanks(p);
    if (vertex >= vertices_) return at_line_end(p, end) ? behind_line(p, end) : nullptr;
    for (int i = 0; i < header_.numbers_before; ++i) {
      std::uint64_t ignored;
      if (!parse_id(p, ignored)) return nullptr;
      p = behind_number(p, end);
      if (p == nullptr) return nullptr;
    }
    while (!at_line_end(p, end)) {
      std::uint64_t neighbor;
      if (!parse_id(p, neighbor) || neighbor - 1 >= vertices_) return nullptr;
      p = behind_number(p, end);
      double weight = 0;
      if (p != nullptr && header_.has_edge_weights) p = parse_edge_weight(p, end, weight);
      if (p == nullptr || neighbor - 1 == vertex) return nullptr;
      add(vertex, neighbor - 1, weight, part);
    }
    return behind_line(p, end);
  }

  const char* parse_edge_weight(const char* p, const char* end, double& weight) const {
    return parse_weight(p, end, weight, least_weight_) ? behind_number(p, end) : nullptr;
  }

  // Numbers end at a blank or with the line.
  static const char* behind_number(const char* p, const char* end) {
    return is_blank(*p) || at_line_end(p, end) ? skip_blanks(p) : nullptr;
  }

  void add(std::uint64_t vertex, std::uint64_t neighbor, double weight, AdjacencyPart& part) const {
    ++part.neighbors;
    if (vertex > neighbor) {
      part.to_smaller += hash_edge(neighbor, vertex, weight);
      return;
    }
    part.to_larger += hash_edge(vertex, neighbor, weight);
    part.edges.push_back({static_cast<VertexId>(vertex), static_cast<VertexId>(neighbor)});
    if (keep_weights_) part.weights.push_back(weight);
  }

  const MetisHeader& header_;
  std::uint64_t vertices_;
  bool keep_weights_;
  double least_weight_;
};

std::string AdjacencyParser::describe(std::string_view line, std::int64_t vertex) const {
  if (has_control_characters(line)) return fmt::format("binary data, not text: {}", quoted(line));
  const std::vector<std::string_view> words = split_words(line);
  if (vertex >= header_.vertices) {
    return fmt::format("a line behind that of the last of {}", counted(header_.vertices, "vertex"));
  }
  const auto before = static_cast<std::size_t>(header_.numbers_before);
  if (words.size() < before) {
    return fmt::format("{} expected in front of the neighbors, found {}",
                       counted(header_.numbers_before, "vertex weight"), words.size());
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_weight = i >= before && header_.has_edge_weights && (i - before) % 2 == 1;
    if (i < before) {
      if (integer_of(words[i])) continue;
      return fmt::format("expected a vertex weight (an integer), found {}", quoted(words[i]));
    }
    const std::string problem =
        is_weight ? refuse_weight(words[i], least_weight_) : refuse_id(words[i]);
    if (!problem.empty()) return problem;
    if (is_weight) continue;
    const std::uint64_t neighbor = *integer_of(words[i]);
    if (neighbor - 1 >= vertices_) return OneBased{vertices_}.refuse(neighbor);
    if (static_cast<std::int64_t>(neighbor) - 1 == vertex) {
      return fmt::format("vertex {} is its own neighbor; METIS graphs have no self-loops",
                         neighbor);
    }
  }
  return "a neighbor without its weight";
}

// The parts of all blocks, put together.
class MetisReader {
 public:
  MetisReader(LineReader& reader, const MetisHeader& header, const ReadOptions& options,
              const ParallelFor& parallel)
      : reader_(reader),
        header_(header),
        options_(options),
        parallel_(parallel),
        parser_(header, options) {}

  // `first_row`: that of the block's first line.
  void add_block(std::string_view block, std::int64_t first_row) {
    const std::vector<std::string_view> chunks = split_at_lines(block, options_.chunk_bytes);
    const auto count = static_cast<std::int64_t>(chunks.size());
    std::vector<std::int64_t> firsts(chunks.size() + 1, 0);
    for_parts(parallel_, count, [&](std::int64_t i) {
      const auto chunk = static_cast<std::size_t>(i);
      firsts[chunk + 1] = count_rows(chunks[chunk]);
    });
    firsts[0] = first_row;
    for (std::size_t i = 1; i < firsts.size(); ++i) firsts[i] += firsts[i - 1];
    rows_ += firsts.back() - first_row;

    std::vector<AdjacencyPart> parts(chunks.size());
    for_parts(parallel_, count, [&](std::int64_t i) {
      const auto chunk = static_cast<std::size_t>(i);
      parts[chunk] = parser_.parse(chunks[chunk], firsts[chunk]);
    });
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].stop != nullptr) fail_at(chunks[i], firsts[i], parts[i].stop);
    }
    append(parts);
  }

  // How many rows have been read.
  std::int64_t rows() const { return rows_; }

  void finish(EdgeList& list) {
    PartFacts facts;
    facts.last_line = rows_ < header_.vertices ? reader_.last_line() : 0;
    facts.header_line = header_.line;
    facts.announced = header_.edges;
    facts.noun = "edge";
    facts.announced_rows = header_.vertices;
    facts.rows = rows_;
    facts.edges = neighbors_;
    facts.surplus = static_cast<std::int64_t>(to_larger_ - to_smaller_);
    finish_part(reader_.file(), options_, facts);
    list.edges = std::move(arrays_.edges);
    list.weights = std::move(arrays_.weights);
  }

 private:
  [[noreturn]] void fail_at(std::string_view chunk, std::int64_t first_vertex,
                            const char* stop) const {
    const auto bytes_before = static_cast<std::size_t>(stop - chunk.data());
    const std::int64_t vertex = first_vertex + count_rows(chunk.substr(0, bytes_before));
    const std::string_view line = line_from(stop, chunk.data() + chunk.size());
    reader_.fail_at(stop, parser_.describe(line, vertex));
  }

  void append(const std::vector<AdjacencyPart>& parts) {
    std::vector<std::size_t> firsts = {arrays_.edges.size()};
    for (const AdjacencyPart& part : parts) {
      firsts.push_back(firsts.back() + part.edges.size());
      neighbors_ += part.neighbors;
      to_larger_ += part.to_larger;
      to_smaller_ += part.to_smaller;
    }
    const std::size_t more = firsts.back() - firsts.front();
    reserve_ahead(arrays_.edges, more, reader_.fraction());
    arrays_.edges.resize(firsts.back());
    if (header_.has_edge_weights && options_.want_weights) {
      reserve_ahead(arrays_.weights, more, reader_.fraction());
      arrays_.weights.resize(firsts.back());
    }
    for_parts(parallel_, static_cast<std::int64_t>(parts.size()), [&](std::int64_t i) {
      const AdjacencyPart& part = parts[static_cast<std::size_t>(i)];
      const std::size_t first = firsts[static_cast<std::size_t>(i)];
      std::copy(part.edges.begin(), part.edges.end(), arrays_.edges.data() + first);
      if (!part.weights.empty()) {
        std::copy(part.weights.begin(), part.weights.end(), arrays_.weights.data() + first);
      }
    });
  }

  LineReader& reader_;
  const MetisHeader& header_;
  const ReadOptions& options_;
  const ParallelFor& parallel_;
  AdjacencyParser parser_;
  EdgeArrays<Edge> arrays_;
  std::int64_t rows_ = 0;
  std::int64_t neighbors_ = 0;
  std::uint64_t to_larger_ = 0;
  std::uint64_t to_smaller_ = 0;
};

}  // namespace

EdgeList read_metis(LineReader& reader, const ReadOptions& options, const ParallelFor& parallel) {
  const MetisHeader header = read_metis_header(reader);
  reader.allow_long_lines();
  EdgeList list;
  list.vertex_count = header.vertices;
  list.names = VertexNames::range(1, header.vertices);
  list.directed = false;
  if (header.numbers_before > 0) add_note(list, "vertex weights are ignored");

  MetisReader metis(reader, header, options, parallel);
  const std::string_view start = reader.peek();
  const std::int64_t header_rows =
      options.parts > 1 && !start.empty() ? reader.rows_before(start.data()) : 0;
  begin_part(reader, options);
  std::string_view block;
  while (reader.next_block(block)) {
    metis.add_block(
        block, options.parts > 1 ? reader.rows_before(block.data()) - header_rows : metis.rows());
    report_progress(reader, options);
  }
  metis.finish(list);
  if (options.directed == true) make_directed(list);
  return list;
}

}  // namespace grappa::graph::io
