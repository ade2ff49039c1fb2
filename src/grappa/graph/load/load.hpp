#pragma once

// The one way in: a graph from a file, from standard input, or from a generator.
//
//   EdgeList web = load_edge_list({.path = "web.txt.gz", .want_weights = true});
//   EdgeList kron = load_edge_list({.path = "kron:20", .seed = 7});
//
// The format is told from the name unless given; standard input ("-") without a format is read as
// a plain edge list. The format or the file says whether the graph is directed, unless `directed`
// overrides it: true turns the edges of formats that store undirected ones (.mtx symmetric, METIS,
// DIMACS edges, .sg, generated graphs) into arcs both ways; false turns arcs into edges. Speed:
// about as fast as memory for plain text, 20 ns an edge and core; gzip decompression is serial, and
// then dominates. Errors: InputError (file, line, what was expected), UsageError (format or
// generator), Error if there is not enough memory. Calls with the same ParallelFor may overlap only
// if it allows that.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/graph/io/internal/formats/ldbc_files.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/examined_file.hpp"
#include "grappa/io/parallel_for.hpp"

namespace grappa::io {
class BlockSource;
class LineReader;
}  // namespace grappa::io

namespace grappa::graph {

namespace io {
struct PartFacts;
}

struct LoadOptions {
  std::string path = {};  // a file, "-" or a generator
  Format format = Format::kAuto;
  std::optional<bool> directed = {};
  bool want_weights = false;  // otherwise they are left out where there are any
  double least_weight = std::numeric_limits<double>::lowest();  // those below are refused
  std::uint64_t seed = 1;                                       // for generators
  /// Called on the calling thread now and then with the part that is done, 0 ... 1.
  std::function<void(double fraction)> progress = {};
  std::size_t chunk_bytes = std::size_t{1} << 20;   // of text for one task
  std::size_t block_bytes = std::size_t{64} << 20;  // of text between calls of progress

  /// What other locales are told.
  static constexpr auto kMembers =
      std::tuple(&LoadOptions::path, &LoadOptions::format, &LoadOptions::directed,
                 &LoadOptions::want_weights, &LoadOptions::least_weight, &LoadOptions::seed,
                 &LoadOptions::chunk_bytes, &LoadOptions::block_bytes);
};

/// What a load reads, opened and looked at once. Whoever asks something of a graph before it is
/// loaded (load_estimate.hpp), or tries several ways of loading it, makes one for all of them. The
/// files stay open as long as it lives. Moved, not copied.
struct GraphInput {
  /// Errors: UsageError where the format is not known; of the files, reading says what is wrong.
  explicit GraphInput(const LoadOptions& options);
  /// The same, of files that were found elsewhere.
  GraphInput(LoadOptions options, const io::GraphFiles& files);

  /// For any of its files (ExaminedFile).
  void check_unchanged() const;

  LoadOptions options;
  Format format = Format::kAuto;             // kAuto: it is generated
  std::optional<io::ExaminedFile> edges;     // none: it is generated, or somebody else reads them
  std::optional<io::ExaminedFile> vertices;  // LDBC
  std::optional<io::ExaminedFile> properties;
};

EdgeList load_edge_list(GraphInput& input, const ParallelFor& parallel);
EdgeList load_edge_list(const LoadOptions& options, const ParallelFor& parallel);
/// On the cores of this locale: by a task of a run, which it switches. (Readers know nothing of the
/// runtime; it comes with runtime_parallel_for.)
EdgeList load_edge_list(const LoadOptions& options);

/// How a load can be divided among several processes.
enum class Sharing : std::uint8_t {
  kNone,   // one must do it alone
  kParts,  // each reads its part of a plain file, or makes its part of a generated graph
  kText    // one reads the text of the edges, and gives blocks of it to the others
};
Sharing sharing_of(const GraphInput& input);

/// The text that one process reads for all, if it is kText.
std::unique_ptr<io::LineReader> open_text(GraphInput& input);

/// Loads part `part` of `parts`. `source`: if it is kText, blocks of what open_text() returned.
/// `facts` are for io::check_whole(); ReadOptions (readers.hpp) says how vertices are numbered.
EdgeList load_edge_part(GraphInput& input, int part, int parts, io::PartFacts& facts,
                        std::unique_ptr<io::BlockSource> source, const ParallelFor& parallel);

/// What is read: nothing for a generator, several for an LDBC graph.
io::GraphFiles find_files(const LoadOptions& options);
std::vector<std::string> files_to_load(const LoadOptions& options);

/// The format that options.format and options.path amount to; never kAuto.
Format format_to_load(const LoadOptions& options);

}  // namespace grappa::graph
