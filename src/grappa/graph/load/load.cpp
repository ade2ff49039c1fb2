#include "grappa/graph/load/load.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/io/input.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/io/text/line_reader.hpp"

namespace grappa::graph {
namespace {

struct Part {
  int index = 0;
  int count = 1;
  io::PartFacts* facts = nullptr;                // where there are several
  std::unique_ptr<io::BlockSource> source = {};  // of the text, where others have some of it
};

// The quotes of a CSV are looked for in its first block, which is therefore the same for all.
constexpr std::size_t kSharedBlockBytes = std::size_t{4} << 20;

bool is_generated(const LoadOptions& options) {
  return options.format == Format::kAuto && is_generator(options.path);
}

EdgeList load_generated(const LoadOptions& options, const Part& part, const ParallelFor& parallel) {
  const GeneratorSpec spec = parse_generator(options.path);
  EdgeList list = generate(spec,
                           {.seed = options.seed,
                            .want_weights = options.want_weights,
                            .part = part.index,
                            .parts = part.count},
                           parallel);
  if (options.directed == true) make_directed(list);
  if (options.progress) options.progress(1.0);
  return list;
}

EdgeList load_files(GraphInput& input, Part& part, const ParallelFor& parallel) {
  const LoadOptions& options = input.options;
  io::ReadOptions read{.directed = options.directed,
                       .want_weights = options.want_weights,
                       .least_weight = options.least_weight,
                       .chunk_bytes = options.chunk_bytes,
                       .progress = options.progress,
                       .part = part.index,
                       .parts = part.count,
                       .facts = part.facts};
  if (input.format == Format::kGap || input.format == Format::kGapWeighted) {
    return io::read_gap(io::Input::open(*input.edges), input.format == Format::kGapWeighted, read,
                        parallel);
  }
  if (input.format == Format::kGrappa)
    return io::read_grappa(io::Input::open(*input.edges), read, parallel);
  if (!read.directed && input.properties) read.directed = io::ldbc_directed(*input.properties);
  const io::LineReaderOptions lines{.block_bytes = options.block_bytes};
  io::LineReader reader = part.source ? io::LineReader(std::move(part.source), lines)
                                      : io::LineReader(io::Input::open(*input.edges), lines);
  switch (input.format) {
    case Format::kCsv:
      return io::read_csv(reader, read, parallel);
    case Format::kMatrixMarket:
      return io::read_matrix_market(reader, read, parallel);
    case Format::kMetis:
      return io::read_metis(reader, read, parallel);
    case Format::kDimacs:
      return io::read_dimacs(reader, read, parallel);
    case Format::kLdbc: {
      if (!input.vertices) return io::read_ldbc(nullptr, reader, read, parallel);
      io::LineReader vertices(io::Input::open(*input.vertices), lines);
      return io::read_ldbc(&vertices, reader, read, parallel);
    }
    default:
      return io::read_text(reader, input.format, read, parallel);
  }
}

EdgeList load(GraphInput& input, Part part, const ParallelFor& parallel) {
  try {
    if (input.format == Format::kAuto) return load_generated(input.options, part, parallel);
    return io::read_unchanged(input, [&] { return load_files(input, part, parallel); });
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("{}: not enough memory to load it", input.options.path));
  }
}

}  // namespace

Format format_to_load(const LoadOptions& options) {
  if (options.format != Format::kAuto) return options.format;
  if (options.path == "-") return Format::kText;
  try {
    return format_of_path(options.path);
  } catch (const UsageError&) {
    // Of a file that is not there, or is a folder, the format is not what is wrong.
    struct stat file{};
    const int error = stat(options.path.c_str(), &file) != 0 ? errno
                      : S_ISDIR(file.st_mode)                ? EISDIR
                                                             : 0;
    if (error == 0) throw;
    throw InputError(options.path, 0, fmt::format("cannot open: {}", std::strerror(error)));
  }
}

GraphInput::GraphInput(const LoadOptions& what) : GraphInput(what, find_files(what)) {}

GraphInput::GraphInput(LoadOptions what, const io::GraphFiles& files) : options(std::move(what)) {
  if (is_generated(options)) return;
  format = format_to_load(options);
  // Without edges there can still be vertices.
  const io::Empty empty = files.vertices ? io::Empty::kAllowed : io::Empty::kRefused;
  if (files.edges) edges.emplace(*files.edges, empty);
  if (files.vertices) vertices.emplace(*files.vertices);
  if (files.properties) properties.emplace(*files.properties);
}

void GraphInput::check_unchanged() const {
  for (const auto* file : {&edges, &vertices, &properties}) {
    if (*file) (*file)->check_unchanged();
  }
}

EdgeList load_edge_list(GraphInput& input, const ParallelFor& parallel) {
  return load(input, {}, parallel);
}

EdgeList load_edge_list(const LoadOptions& options, const ParallelFor& parallel) {
  GraphInput input(options);
  return load_edge_list(input, parallel);
}

EdgeList load_edge_list(const LoadOptions& options) {
  return load_edge_list(options, io::runtime_parallel_for());
}

EdgeList load_edge_part(GraphInput& input, int part, int parts, io::PartFacts& facts,
                        std::unique_ptr<io::BlockSource> source, const ParallelFor& parallel) {
  return load(input, {part, parts, &facts, std::move(source)}, parallel);
}

io::GraphFiles find_files(const LoadOptions& options) {
  if (is_generated(options)) return {};
  if (format_to_load(options) == Format::kLdbc) return io::find_ldbc_files(options.path);
  return {.edges = options.path};
}

std::vector<std::string> files_to_load(const LoadOptions& options) {
  const io::GraphFiles found = find_files(options);
  std::vector<std::string> files;
  for (const auto& file : {found.edges, found.vertices, found.properties}) {
    if (file) files.push_back(*file);
  }
  return files;
}

Sharing sharing_of(const GraphInput& input) {
  if (input.format == Format::kAuto) return Sharing::kParts;
  if (input.format != Format::kMetis && input.edges->is_plain()) return Sharing::kParts;
  return is_binary(input.format) ? Sharing::kNone : Sharing::kText;
}

std::unique_ptr<io::LineReader> open_text(GraphInput& input) {
  io::LineReaderOptions lines{.block_bytes = input.options.block_bytes};
  if (input.format != Format::kCsv)
    lines.block_bytes = std::min(lines.block_bytes, kSharedBlockBytes);
  auto reader = std::make_unique<io::LineReader>(io::Input::open(*input.edges, 0), lines);
  if (input.format == Format::kMetis) reader->allow_long_lines();
  return reader;
}

}  // namespace grappa::graph
