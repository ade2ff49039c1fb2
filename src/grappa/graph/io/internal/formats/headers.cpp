#include "grappa/graph/io/internal/formats/headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/graph/io/internal/names/compact_ids.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// The next line that is neither blank nor begins with `comment`; InputError without one.
std::string_view next_significant_line(LineReader& reader, char comment,
                                       std::string_view expected) {
  std::string_view line;
  while (reader.next_line(line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != comment) return line;
  }
  reader.fail(reader.last_line(), fmt::format("the file ends where {} is expected", expected));
}

// The value of a number in a header.
std::int64_t header_number(const LineReader& reader, std::string_view word,
                           std::string_view meaning) {
  const auto value = integer_of(word);
  if (!value) {
    reader.fail(reader.last_line(),
                fmt::format("expected {} (a number), found {}", meaning, quoted(word)));
  }
  return static_cast<std::int64_t>(*value);
}

std::int64_t vertex_number(const LineReader& reader, std::string_view word) {
  const std::int64_t vertices = header_number(reader, word, "the number of vertices");
  if (vertices == 0) reader.fail(reader.last_line(), "a graph without vertices");
  check_vertex_count(static_cast<std::uint64_t>(vertices), reader.file(), reader.last_line());
  return vertices;
}

void check_banner(const LineReader& reader, const std::vector<std::string>& words) {
  constexpr std::string_view kExpected =
      "'%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric'";
  const std::int64_t line = reader.last_line();
  if (words.size() != 5 || words[0] != "%%matrixmarket") {
    reader.fail(line, fmt::format("expected {}", kExpected));
  }
  if (words[1] != "matrix" || words[2] != "coordinate") {
    reader.fail(line,
                fmt::format("'{} {}' is not a graph; expected {}", words[1], words[2], kExpected));
  }
  if (!is_one_of(words[3], {"pattern", "integer", "real", "double"})) {
    reader.fail(
        line, fmt::format("values {} cannot be weights; expected {}", quoted(words[3]), kExpected));
  }
  if (!is_one_of(words[4], {"general", "symmetric"})) {
    reader.fail(line, fmt::format("symmetry {} is not supported; expected {}", quoted(words[4]),
                                  kExpected));
  }
}

}  // namespace

MatrixMarketHeader read_matrix_market_header(LineReader& reader) {
  std::string_view line;
  reader.next_line(line);
  std::vector<std::string> banner;
  for (const std::string_view word : split_words(line.substr(0, 1000))) {
    banner.push_back(lower(word));
  }
  check_banner(reader, banner);
  MatrixMarketHeader header;
  header.has_values = banner[3] != "pattern";
  header.has_integers = banner[3] == "integer";
  header.undirected = banner[4] == "symmetric";

  line = next_significant_line(reader, '%', "'rows columns entries'");
  const std::vector<std::string_view> words = split_words(line);
  header.line = reader.last_line();
  if (words.size() != 3) {
    reader.fail(header.line,
                fmt::format("expected 'rows columns entries', found {}", quoted(line)));
  }
  header.vertices = vertex_number(reader, words[0]);
  const std::int64_t columns = header_number(reader, words[1], "the number of columns");
  header.edges = header_number(reader, words[2], "the number of entries");
  if (columns != header.vertices) {
    reader.fail(header.line,
                fmt::format("{} and {}: a graph needs a square matrix",
                            counted(header.vertices, "row"), counted(columns, "column")));
  }
  return header;
}

MetisHeader read_metis_header(LineReader& reader) {
  constexpr std::string_view kExpected = "'vertices edges [fmt [ncon]]'";
  const std::string_view line = next_significant_line(reader, '%', kExpected);
  const std::vector<std::string_view> words = split_words(line);
  MetisHeader header;
  header.line = reader.last_line();
  if (words.size() < 2 || words.size() > 4) {
    reader.fail(header.line, fmt::format("expected {}, found {}", kExpected, quoted(line)));
  }
  header.vertices = vertex_number(reader, words[0]);
  header.edges = header_number(reader, words[1], "the number of edges");
  if (words.size() == 2) return header;

  const std::string_view flags = words[2];
  if (flags.size() > 3 || flags.find_first_not_of("01") != std::string_view::npos) {
    reader.fail(header.line,
                fmt::format("expected fmt, up to three digits 0 or 1, found {}", quoted(flags)));
  }
  const std::string padded = std::string(3 - flags.size(), '0') + std::string(flags);
  header.has_edge_weights = padded[2] == '1';
  if (padded[1] == '1') {
    constexpr std::int64_t kMaxWeights = 1000;
    const std::int64_t weights =
        words.size() == 4 ? header_number(reader, words[3], "ncon, the weights a vertex") : 1;
    if (weights < 1 || weights > kMaxWeights) {
      reader.fail(header.line,
                  fmt::format("ncon is {}, but 1 ... {} is possible", weights, kMaxWeights));
    }
    header.numbers_before = static_cast<int>(weights);
  }
  if (padded[0] == '1') ++header.numbers_before;
  return header;
}

DimacsHeader read_dimacs_header(LineReader& reader) {
  constexpr std::string_view kExpected = "'p sp vertices arcs' or 'p edge vertices edges'";
  const std::string_view line = next_significant_line(reader, 'c', kExpected);
  const std::vector<std::string_view> words = split_words(line);
  DimacsHeader header;
  header.line = reader.last_line();
  if (words.size() != 4 || words[0] != "p" || !is_one_of(words[1], {"sp", "edge", "col"})) {
    reader.fail(header.line, fmt::format("expected {}, found {}", kExpected, quoted(line)));
  }
  header.undirected = words[1] != "sp";
  header.vertices = vertex_number(reader, words[2]);
  header.edges = header_number(reader, words[3], "the number of edges");
  return header;
}

}  // namespace grappa::graph::io
