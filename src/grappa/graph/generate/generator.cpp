#include "grappa/graph/generate/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/generate/internal/counter_random.hpp"
#include "grappa/graph/generate/internal/kronecker.hpp"
#include "grappa/graph/structure/internal/vertex_pair.hpp"

namespace grappa::graph {
namespace {

using Kind = GeneratorSpec::Kind;

struct Prefix {
  std::string_view text;
  Kind kind;
  std::string_view usage;
};
constexpr Prefix kPrefixes[] = {
    {"kron:", Kind::kKronecker, "kron:SCALE[:EDGEFACTOR]"},
    {"urand:", Kind::kUniform, "urand:SCALE[:DEGREE]"},
    {"grid:", Kind::kGrid, "grid:ROWSxCOLS"},
};

const Prefix* find_prefix(std::string_view text) {
  const auto* found = std::find_if(std::begin(kPrefixes), std::end(kPrefixes),
                                   [&](const Prefix& p) { return text.starts_with(p.text); });
  return found == std::end(kPrefixes) ? nullptr : found;
}

[[noreturn]] void refuse(std::string_view text, std::string_view reason) {
  std::string known;
  for (const Prefix& prefix : kPrefixes) {
    known += known.empty() ? "" : ", ";
    known += prefix.usage;
  }
  throw UsageError(fmt::format("generator '{}': {}; possible are {}", text, reason, known));
}

// The value of a word of 1 ... 18 digits; 0, which is never allowed, for other words.
std::int64_t number_of(std::string_view word) {
  std::int64_t value = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = result.ec == std::errc() && result.ptr == word.data() + word.size();
  return whole && word.size() <= 18 ? value : 0;
}

// "20" or "20:16".
void parse_scale(std::string_view text, std::string_view arguments, GeneratorSpec& spec) {
  const std::size_t colon = arguments.find(':');
  const std::int64_t scale = number_of(arguments.substr(0, colon));
  if (scale < 1 || scale > kMaxScale) {
    refuse(text, fmt::format("SCALE is a number from 1 to {}{}", kMaxScale, kMoreVerticesHint));
  }
  spec.scale = static_cast<int>(scale);
  if (colon == std::string_view::npos) return;
  const std::int64_t factor = number_of(arguments.substr(colon + 1));
  if (factor < 1 || factor > kMaxGeneratedEdges >> spec.scale) {
    refuse(text, fmt::format("edges a vertex are a number from 1 to {}",
                             kMaxGeneratedEdges >> spec.scale));
  }
  spec.edges_per_vertex = factor;
}

// "1000x2000".
void parse_grid(std::string_view text, std::string_view arguments, GeneratorSpec& spec) {
  const std::size_t times = arguments.find('x');
  const std::int64_t rows = number_of(arguments.substr(0, times));
  const std::int64_t columns =
      times == std::string_view::npos ? 0 : number_of(arguments.substr(times + 1));
  if (rows < 1 || columns < 1 || rows > kMaxVertices / columns) {
    refuse(text, fmt::format("ROWS and COLS are numbers from 1, their product at most {}{}",
                             kMaxVertices, kMoreVerticesHint));
  }
  spec.rows = rows;
  spec.columns = columns;
}

void uniform_edges(const GeneratorSpec& spec, std::uint64_t seed, std::int64_t first,
                   std::span<Edge> edges) {
  const generate_detail::CounterRandom random(seed, generate_detail::kEdgeStream);
  auto index = static_cast<std::uint64_t>(first);
  if (spec.scale > 32) {
    const auto vertex = [&](std::uint64_t i) {
      return static_cast<VertexId>(random(i) >> (64 - spec.scale));
    };
    for (Edge& edge : edges) {
      edge = {vertex(2 * index), vertex(2 * index + 1)};
      ++index;
    }
    return;
  }
  for (Edge& edge : edges) {
    const std::uint64_t bits = random(index++);
    edge = {static_cast<VertexId>(bits >> (64 - spec.scale)),
            static_cast<VertexId>((bits & 0xffffffff) >> (32 - spec.scale))};
  }
}

// First the edges within the rows, row by row, then those between a row and the next.
void grid_edges(const GeneratorSpec& spec, std::int64_t first, std::span<Edge> edges) {
  const std::int64_t within = spec.rows * (spec.columns - 1);
  for (Edge& edge : edges) {
    const std::int64_t index = first++;
    const bool is_within = index < within;
    const std::int64_t source =
        is_within ? index / (spec.columns - 1) * spec.columns + index % (spec.columns - 1)
                  : index - within;
    const std::int64_t target = source + (is_within ? 1 : spec.columns);
    edge = {static_cast<VertexId>(source), static_cast<VertexId>(target)};
  }
}

// Where part `part` begins.
std::int64_t share_of(std::int64_t edges, int part, int parts) {
  return edges / parts * part + edges % parts * part / parts;
}

}  // namespace

std::int64_t GeneratorSpec::vertex_count() const noexcept {
  return kind == Kind::kGrid ? rows * columns : std::int64_t{1} << scale;
}

std::int64_t GeneratorSpec::edge_count() const noexcept {
  if (kind == Kind::kGrid) return rows * (columns - 1) + (rows - 1) * columns;
  return vertex_count() * edges_per_vertex;
}

bool is_generator(std::string_view text) noexcept { return find_prefix(text) != nullptr; }

GeneratorSpec parse_generator(std::string_view text) {
  const Prefix* prefix = find_prefix(text);
  if (prefix == nullptr) refuse(text, "unknown");
  GeneratorSpec spec;
  spec.kind = prefix->kind;
  const std::string_view arguments = text.substr(prefix->text.size());
  if (spec.kind == Kind::kGrid) {
    parse_grid(text, arguments, spec);
  } else {
    parse_scale(text, arguments, spec);
  }
  return spec;
}

void generate_edges(const GeneratorSpec& spec, std::uint64_t seed, std::int64_t first,
                    std::span<Edge> edges) {
  switch (spec.kind) {
    case Kind::kKronecker:
      generate_detail::KroneckerEdges(seed, spec.scale)
          .fill(static_cast<std::uint64_t>(first), edges);
      break;
    case Kind::kUniform:
      uniform_edges(spec, seed, first, edges);
      break;
    case Kind::kGrid:
      grid_edges(spec, first, edges);
      break;
  }
}

double generated_weight(std::uint64_t seed, const Edge& edge) noexcept {
  const generate_detail::CounterRandom random(seed, generate_detail::kWeightStream);
  const auto low = static_cast<std::uint64_t>(std::min(edge.source, edge.target));
  const auto high = static_cast<std::uint64_t>(std::max(edge.source, edge.target));
  const std::uint64_t scaled = (random(word_of_pair(low, high)) >> 32) * 255;  // below 255 * 2^32
  return static_cast<double>(1 + (scaled >> 32));
}

EdgeList generate(const GeneratorSpec& spec, const GenerateOptions& options,
                  const ParallelFor& parallel) {
  EdgeList list;
  list.vertex_count = spec.vertex_count();
  list.names = VertexNames::range(0, list.vertex_count);
  list.directed = false;
  list.needs_simplify = spec.kind != Kind::kGrid;
  const std::int64_t first = share_of(spec.edge_count(), options.part, options.parts);
  const std::int64_t last = share_of(spec.edge_count(), options.part + 1, options.parts);
  list.edges.resize(static_cast<std::size_t>(last - first));
  if (options.want_weights) list.weights.resize(list.edges.size());
  for_ranges(parallel, last - first, tuning::kEdgeGrain, [&](std::int64_t begin, std::int64_t end) {
    const std::span<Edge> edges(list.edges.data() + begin, static_cast<std::size_t>(end - begin));
    generate_edges(spec, options.seed, first + begin, edges);
    if (!options.want_weights) return;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto index = static_cast<std::size_t>(i);
      list.weights[index] = generated_weight(options.seed, list.edges[index]);
    }
  });
  return list;
}

}  // namespace grappa::graph
