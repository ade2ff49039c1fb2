#pragma once

// The one way in: a graph from a file, from standard input, or from a generator.
//
//   EdgeList web = load_edge_list({.path = "web.txt.gz", .want_weights = true}, parallel);
//   EdgeList kron = load_edge_list({.path = "kron:20", .seed = 7}, parallel);
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
#include <vector>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/graph/io/parallel_for.hpp"

namespace grappa::graph {

namespace io {
class BlockSource;
class LineReader;
struct PartFacts;
}  // namespace io

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
};

EdgeList load_edge_list(const LoadOptions& options, const ParallelFor& parallel);

/// How a load can be divided among several processes.
enum class Sharing : std::uint8_t {
  kNone,   // one must do it alone
  kParts,  // each reads its part of a plain file, or makes its part of a generated graph
  kText    // one reads the text, and gives blocks of it to the others
};
struct LoadPlan {
  Sharing sharing = Sharing::kNone;
  std::vector<std::string> files = {};  // that all of them read, with the same content
  std::string text = {};                // kText: what the one reads, as errors call it
};
LoadPlan plan_load(const LoadOptions& options);

/// The text that one process reads for all, if the plan says kText.
std::unique_ptr<io::LineReader> open_text(const LoadOptions& options);

/// Loads part `part` of `parts`. `source`: if the plan says kText, blocks of what open_text()
/// returned; else null. `facts` are for io::check_whole(); vertices are numbered as ReadOptions
/// (readers.hpp) says.
EdgeList load_edge_part(const LoadOptions& options, int part, int parts, io::PartFacts& facts,
                        std::unique_ptr<io::BlockSource> source, const ParallelFor& parallel);

/// What is read: no name for a generator, several for an LDBC graph.
std::vector<std::string> files_to_load(const LoadOptions& options);

/// The format that options.format and options.path amount to; never kAuto.
Format format_to_load(const LoadOptions& options);

}  // namespace grappa::graph
