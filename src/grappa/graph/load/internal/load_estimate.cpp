#include "grappa/graph/load/internal/load_estimate.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zstd.h>

#include "grappa/base/error.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/internal/formats/columns.hpp"
#include "grappa/graph/io/internal/formats/edge_lines.hpp"
#include "grappa/graph/io/internal/formats/gap_file.hpp"
#include "grappa/graph/io/internal/formats/headers.hpp"
#include "grappa/graph/io/internal/formats/stored_file.hpp"
#include "grappa/io/input.hpp"
#include "grappa/io/text/line_reader.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph {
namespace {

constexpr std::size_t kSampleBytes = std::size_t{256} << 10;
constexpr std::uint64_t kBlockBytes = std::uint64_t{64} << 20;

// A name, and the index for finding it.
constexpr std::uint64_t kBytesAVertex = sizeof(std::uint64_t) + 3 * sizeof(VertexId);

// The beginning of a file, and its size, without reading the rest.
struct Sample {
  std::string start;                // the first bytes, decompressed
  std::uint64_t content_bytes = 0;  // of the whole, decompressed; an estimate for some files
  Compression compression = Compression::kNone;
};

// Text of edges shrinks to about a third.
constexpr std::uint64_t kUsualRatio = 3;

// A gzip file ends with the length of its last member, modulo 2^32. It is believed unless it is
// less than the compressed file, or the file is so large that the length may have wrapped.
std::uint64_t gzip_content_bytes(const io::ExaminedFile& file) {
  constexpr std::uint64_t kMayWrap = std::uint64_t{1} << 29;
  std::uint32_t length = 0;
  if (file.bytes() >= 18) file.read(file.bytes() - sizeof length, &length, sizeof length);
  const bool believed = file.bytes() < kMayWrap && length >= file.bytes() / 2;
  return believed ? length : file.bytes() * kUsualRatio;
}

// A zstd frame may begin with the length of its content.
std::uint64_t zstd_content_bytes(const io::ExaminedFile& file) {
  const unsigned long long length =
      ZSTD_getFrameContentSize(file.start().data(), file.start().size());
  const bool believed = length != ZSTD_CONTENTSIZE_UNKNOWN && length != ZSTD_CONTENTSIZE_ERROR &&
                        length >= file.bytes() / 2 && length / 100000 <= file.bytes();
  return believed ? length : file.bytes() * kUsualRatio;
}

// Of what is on disk; else nothing.
std::optional<Sample> sample_of(io::ExaminedFile& file) {
  file.check();
  if (!file.is_on_disk()) return std::nullopt;
  Sample sample{std::string(file.start()), file.bytes(), file.compression()};
  if (sample.compression == Compression::kNone) return sample;
  sample.content_bytes = sample.compression == Compression::kGzip ? gzip_content_bytes(file)
                                                                  : zstd_content_bytes(file);
  io::Input input = io::Input::open(file, 0);
  sample.start.resize(kSampleBytes);
  sample.start.resize(input.whole() ? 0 : input.read(sample.start.data(), kSampleBytes));
  if (sample.start.empty() && !file.may_be_empty()) throw InputError(file.name(), 0, "is empty");
  if (sample.start.size() < kSampleBytes) sample.content_bytes = sample.start.size();
  return sample;
}

struct Counts {
  std::int64_t vertices = 0;
  std::int64_t edges = 0;
  bool wide = false;  // ids that VertexId does not hold, or strings
};

io::LineReader reader_of(const Sample& sample, const std::string& path) {
  return {io::Input::from_memory(sample.start, path), {}};
}

std::int64_t lines_in(const Sample& sample) {
  const std::int64_t feeds = io::count_line_feeds(sample.start);
  return static_cast<std::int64_t>(
      static_cast<double>(std::max<std::int64_t>(feeds, 1)) *
      static_cast<double>(sample.content_bytes) /
      static_cast<double>(std::max<std::size_t>(sample.start.size(), 1)));
}

// The number behind `word` in SNAP's comment "# Nodes: 82168 Edges: 948464".
std::optional<std::int64_t> number_behind(std::string_view comment, std::string_view word) {
  const std::vector<std::string_view> words = io::split_words(comment);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end() || found + 1 == words.end()) return std::nullopt;
  const auto value = io::integer_of(found[1]);
  if (!value || *value > static_cast<std::uint64_t>(kMaxVertices) * 1024) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

Counts count_text(const Sample& sample, const std::string& path) {
  Counts counts;
  counts.edges = lines_in(sample);
  counts.vertices = std::max<std::int64_t>(counts.edges / 4, 2);
  io::LineReader reader = reader_of(sample, path);
  std::string_view line;
  while (reader.next_line(line) && line.starts_with('#')) {
    if (const auto nodes = number_behind(line, "Nodes:")) counts.vertices = *nodes;
    if (const auto edges = number_behind(line, "Edges:")) counts.edges = *edges;
  }
  const io::ColumnSample columns = io::sample_columns(sample.start, {});
  counts.wide = columns.string_names;
  for (const std::string_view word : io::split_words(line)) {
    counts.wide = counts.wide || !io::is_narrow(io::integer_of(word).value_or(0));
  }
  return counts;
}

Counts count_from_header(const Sample& sample, const std::string& path, Format format) {
  if (format == Format::kGap || format == Format::kGapWeighted) {
    const io::GapHeader header = io::parse_gap_header(sample.start, path);
    return {header.vertices, header.directed ? header.arcs : header.arcs / 2};
  }
  if (format == Format::kGrappa) {
    const io::StoredHeader header = io::parse_stored_header(sample.start, path);
    const auto arcs = static_cast<std::int64_t>(header.arcs);
    return {static_cast<std::int64_t>(header.vertices), header.directed != 0 ? arcs : arcs / 2};
  }
  io::LineReader reader = reader_of(sample, path);
  const auto counts = [](const io::GraphHeader& header) {
    return Counts{header.vertices, header.edges};
  };
  switch (format) {
    case Format::kMatrixMarket:
      return counts(io::read_matrix_market_header(reader));
    case Format::kMetis:
      return counts(io::read_metis_header(reader));
    default:
      return counts(io::read_dimacs_header(reader));
  }
}

bool has_header(Format format) {
  return format == Format::kMatrixMarket || format == Format::kMetis || format == Format::kDimacs ||
         is_binary(format);
}

// How much of the content is in memory while it is read.
std::uint64_t held_bytes(const Sample& sample, Format format) {
  if (sample.compression == Compression::kNone) return 0;
  const bool whole =
      sample.compression == Compression::kGzip && sample.content_bytes <= io::kWholeGzipBytes;
  return whole || is_binary(format) ? sample.content_bytes
                                    : std::min(sample.content_bytes, kBlockBytes);
}

LoadEstimate estimate_of(const Counts& counts, std::uint64_t held, const LoadOptions& options) {
  const auto edges = static_cast<std::uint64_t>(counts.edges);
  const auto vertices = static_cast<std::uint64_t>(counts.vertices);
  const std::uint64_t bytes_an_edge =
      sizeof(Edge) + (options.want_weights ? sizeof(double) : 0) +
      (counts.wide ? sizeof(io::WideEdge) + sizeof(std::uint64_t) : 0);
  return {true, edges * bytes_an_edge + vertices * kBytesAVertex + held, counts.vertices,
          counts.edges};
}

}  // namespace

LoadEstimate estimate_load(GraphInput& input) {
  const LoadOptions& options = input.options;
  if (input.format == Format::kAuto) {
    const GeneratorSpec spec = parse_generator(options.path);
    return estimate_of({spec.vertex_count(), spec.edge_count()}, 0, options);
  }
  const std::optional<Sample> sample = sample_of(*input.edges);
  if (!sample) return {};
  const std::string& path = input.edges->name();
  Counts counts = has_header(input.format) ? count_from_header(*sample, path, input.format)
                                           : count_text(*sample, path);
  std::uint64_t held = held_bytes(*sample, input.format);
  if (input.vertices) {
    if (const std::optional<Sample> vertices = sample_of(*input.vertices)) {
      counts.vertices = lines_in(*vertices);
      held += held_bytes(*vertices, input.format);
    }
  }
  return estimate_of(counts, held, options);
}

}  // namespace grappa::graph
