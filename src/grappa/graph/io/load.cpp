#include "grappa/graph/io/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/file_identity.hpp"
#include "grappa/graph/io/input.hpp"
#include "grappa/graph/io/ldbc_files.hpp"
#include "grappa/graph/io/line_reader.hpp"
#include "grappa/graph/io/readers.hpp"

namespace grappa::graph {
namespace {

struct Part {
  int index = 0;
  int count = 1;
  io::PartFacts* facts = nullptr;  // where there are several
};

bool is_generated(const LoadOptions& options) {
  return options.format == Format::kAuto && is_generator(options.path);
}

bool is_plain_file(const std::string& path) {
  const io::FileIdentity file = io::identify_file(path);
  return file.error == 0 && file.regular && !file.compressed && file.bytes > 0;
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

EdgeList load_ldbc(const LoadOptions& options, io::ReadOptions read,
                   const io::LineReaderOptions& lines, const ParallelFor& parallel) {
  const io::LdbcFiles files = io::find_ldbc_files(options.path);
  if (!read.directed && files.properties) read.directed = io::ldbc_directed(*files.properties);
  io::LineReader edges(io::Input::open(files.edges), lines);
  if (!files.vertices) return io::read_ldbc(nullptr, edges, read, parallel);
  io::LineReader vertices(io::Input::open(*files.vertices), lines);
  return io::read_ldbc(&vertices, edges, read, parallel);
}

EdgeList load_file(const LoadOptions& options, const Part& part, const ParallelFor& parallel) {
  const Format format = format_to_load(options);
  const io::ReadOptions read{.directed = options.directed,
                             .want_weights = options.want_weights,
                             .chunk_bytes = options.chunk_bytes,
                             .progress = options.progress,
                             .part = part.index,
                             .parts = part.count,
                             .facts = part.facts};
  const io::LineReaderOptions lines{.block_bytes = options.block_bytes};
  if (format == Format::kLdbc) return load_ldbc(options, read, lines, parallel);
  io::Input input = io::Input::open(options.path);
  if (format == Format::kGap || format == Format::kGapWeighted) {
    return io::read_gap(std::move(input), format == Format::kGapWeighted, read, parallel);
  }
  io::LineReader reader(std::move(input), lines);
  switch (format) {
    case Format::kCsv:
      return io::read_csv(reader, read, parallel);
    case Format::kMatrixMarket:
      return io::read_matrix_market(reader, read, parallel);
    case Format::kMetis:
      return io::read_metis(reader, read, parallel);
    case Format::kDimacs:
      return io::read_dimacs(reader, read, parallel);
    default:
      return io::read_text(reader, format, read, parallel);
  }
}

EdgeList load(const LoadOptions& options, const Part& part, const ParallelFor& parallel) {
  try {
    return is_generated(options) ? load_generated(options, part, parallel)
                                 : load_file(options, part, parallel);
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("{}: not enough memory to load it", options.path));
  }
}

}  // namespace

Format format_to_load(const LoadOptions& options) {
  if (options.format != Format::kAuto) return options.format;
  return options.path == "-" ? Format::kText : format_of_path(options.path);
}

EdgeList load_edge_list(const LoadOptions& options, const ParallelFor& parallel) {
  return load(options, {}, parallel);
}

EdgeList load_edge_part(const LoadOptions& options, int part, int parts, io::PartFacts& facts,
                        const ParallelFor& parallel) {
  return load(options, {part, parts, &facts}, parallel);
}

Splitting splitting_of(const LoadOptions& options) {
  if (is_generated(options)) return {.possible = true};
  if (options.path == "-") return {};
  const Format format = format_to_load(options);
  if (format == Format::kMetis) return {};
  Splitting splitting;
  if (format == Format::kLdbc) {
    const io::LdbcFiles found = io::find_ldbc_files(options.path);
    splitting.files.push_back(found.edges);
    for (const auto& file : {found.vertices, found.properties}) {
      if (file) splitting.files.push_back(*file);
    }
  } else {
    splitting.files.push_back(options.path);
  }
  splitting.possible = std::ranges::all_of(splitting.files, is_plain_file);
  return splitting;
}

}  // namespace grappa::graph
