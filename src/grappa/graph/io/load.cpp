#include "grappa/graph/io/load.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/file_identity.hpp"
#include "grappa/graph/io/input.hpp"
#include "grappa/graph/io/ldbc_files.hpp"
#include "grappa/graph/io/line_reader.hpp"
#include "grappa/graph/io/readers.hpp"
#include "grappa/graph/io/unchanged_files.hpp"

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

io::LineReader open_lines(const std::string& path, Part& part, const io::LineReaderOptions& lines,
                          io::Empty empty = io::Empty::kRefused) {
  if (part.source) return {std::move(part.source), lines};
  return {io::Input::open(path, io::kWholeGzipBytes, empty), lines};
}

// Without edges there can still be vertices.
io::Empty may_be_empty(const io::LdbcFiles& files) {
  return files.vertices ? io::Empty::kAllowed : io::Empty::kRefused;
}

EdgeList load_ldbc(const LoadOptions& options, Part& part, io::ReadOptions read,
                   const io::LineReaderOptions& lines, const ParallelFor& parallel) {
  const io::LdbcFiles files = io::find_ldbc_files(options.path);
  if (!read.directed && files.properties) read.directed = io::ldbc_directed(*files.properties);
  io::LineReader edges = open_lines(files.edges, part, lines, may_be_empty(files));
  if (!files.vertices) return io::read_ldbc(nullptr, edges, read, parallel);
  io::LineReader vertices(io::Input::open(*files.vertices), lines);
  return io::read_ldbc(&vertices, edges, read, parallel);
}

EdgeList load_file(const LoadOptions& options, Part& part, const ParallelFor& parallel) {
  const Format format = format_to_load(options);
  const io::ReadOptions read{.directed = options.directed,
                             .want_weights = options.want_weights,
                             .least_weight = options.least_weight,
                             .chunk_bytes = options.chunk_bytes,
                             .progress = options.progress,
                             .part = part.index,
                             .parts = part.count,
                             .facts = part.facts};
  const io::LineReaderOptions lines{.block_bytes = options.block_bytes};
  if (format == Format::kLdbc) return load_ldbc(options, part, read, lines, parallel);
  if (format == Format::kGap || format == Format::kGapWeighted) {
    return io::read_gap(io::Input::open(options.path), format == Format::kGapWeighted, read,
                        parallel);
  }
  if (format == Format::kGrappa)
    return io::read_grappa(io::Input::open(options.path), read, parallel);
  io::LineReader reader = open_lines(options.path, part, lines);
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

EdgeList load(const LoadOptions& options, Part part, const ParallelFor& parallel) {
  try {
    if (is_generated(options)) return load_generated(options, part, parallel);
    return io::read_unchanged(files_to_load(options),
                              [&] { return load_file(options, part, parallel); });
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("{}: not enough memory to load it", options.path));
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

EdgeList load_edge_list(const LoadOptions& options, const ParallelFor& parallel) {
  return load(options, {}, parallel);
}

EdgeList load_edge_part(const LoadOptions& options, int part, int parts, io::PartFacts& facts,
                        std::unique_ptr<io::BlockSource> source, const ParallelFor& parallel) {
  return load(options, {part, parts, &facts, std::move(source)}, parallel);
}

std::vector<std::string> files_to_load(const LoadOptions& options) {
  if (is_generated(options)) return {};
  if (format_to_load(options) != Format::kLdbc) return {options.path};
  const io::LdbcFiles found = io::find_ldbc_files(options.path);
  std::vector<std::string> files = {found.edges};
  for (const auto& file : {found.vertices, found.properties}) {
    if (file) files.push_back(*file);
  }
  return files;
}

LoadPlan plan_load(const LoadOptions& options) {
  if (is_generated(options)) return {.sharing = Sharing::kParts};
  const Format format = format_to_load(options);
  LoadPlan plan;
  plan.files = files_to_load(options);
  const std::string path = plan.files.front();
  if (format != Format::kMetis && path != "-" && is_plain_file(path)) {
    plan.sharing = Sharing::kParts;
    return plan;
  }
  plan.files.erase(plan.files.begin());
  if (!is_binary(format)) {
    plan.sharing = Sharing::kText;
    plan.text = path == "-" ? "standard input" : path;
  }
  return plan;
}

std::unique_ptr<io::LineReader> open_text(const LoadOptions& options) {
  const Format format = format_to_load(options);
  std::string path = options.path;
  io::Empty empty = io::Empty::kRefused;
  if (format == Format::kLdbc) {
    const io::LdbcFiles files = io::find_ldbc_files(options.path);
    path = files.edges;
    empty = may_be_empty(files);
  }
  io::LineReaderOptions lines{.block_bytes = options.block_bytes};
  if (format != Format::kCsv) lines.block_bytes = std::min(lines.block_bytes, kSharedBlockBytes);
  auto reader = std::make_unique<io::LineReader>(io::Input::open(path, 0, empty), lines);
  if (format == Format::kMetis) reader->allow_long_lines();
  return reader;
}

}  // namespace grappa::graph
