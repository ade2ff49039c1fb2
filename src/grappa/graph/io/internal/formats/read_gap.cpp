// Serialized graphs of the GAP Benchmark Suite; gap_file.hpp has the layout.
//
// The neighbors by source are enough; those by target are compared with them. An undirected graph
// has each edge twice, so its rows are those by target, too: the arc from the smaller end is taken
// (and self-loops once). What is compared are sums over all arcs of
//
//   hash_source(source) * hash_target(target) * (2 * weight + 1)   mod 2^64,
//
// of which a row needs one product, and each arc one hash of the neighbor, whichever end it is.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/io/internal/formats/gap_file.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/graph/io/internal/formats/row_edges.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

std::uint64_t hash_source(std::uint64_t vertex) {
  const std::uint64_t x = (vertex + 1) * 0x9e3779b97f4a7c15;
  return x ^ (x >> 32);
}

std::uint64_t hash_target(std::uint64_t vertex) {
  std::uint64_t x = (vertex + 1) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 32)) * 0x94d049bb133111eb;
  return x ^ (x >> 32);
}

// The arcs by source, or by target; nothing in it is aligned.
class GapArrays {
 public:
  GapArrays(const char* begin, const GapHeader& header, bool weighted)
      : offsets_(begin), neighbors_(offsets_ + 8 * (header.vertices + 1)), weighted_(weighted) {}

  std::int64_t offset(std::int64_t vertex) const { return load<std::int64_t>(offsets_, vertex); }
  std::int32_t neighbor(std::int64_t arc) const {
    return load<std::int32_t>(neighbors_, weighted_ ? 2 * arc : arc);
  }
  std::int32_t weight(std::int64_t arc) const {
    return load<std::int32_t>(neighbors_, 2 * arc + 1);
  }

 private:
  template <class T>
  static T load(const char* base, std::int64_t index) {
    T value;
    std::memcpy(&value, base + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
  }

  const char* offsets_;
  const char* neighbors_;
  bool weighted_;
};

class GapReader {
 public:
  GapReader(const Input& input, bool weighted, const ReadOptions& options,
            const ParallelFor& parallel)
      : file_(input.name()),
        header_(parse_gap_header(*input.whole(), file_)),
        weighted_(weighted),
        arrays_(checked_begin(*input.whole()), header_, weighted),
        reverse_(checked_begin(*input.whole()) + gap_arrays_bytes(header_, weighted), header_,
                 weighted),
        least_weight_(options.least_weight),
        keep_all_(header_.directed || options.directed == true),
        begin_(header_.vertices * options.part / options.parts),
        end_(header_.vertices * (options.part + 1) / options.parts),
        parallel_(parallel) {}

  const GapHeader& header() const { return header_; }

  void read(bool want_weights, EdgeList& list, PartFacts& facts) {
    check_offsets(arrays_);
    if (header_.directed) check_offsets(reverse_);
    make_edges(
        end_ - begin_, want_weights, list, parallel_,
        [this](std::int64_t first, std::int64_t last) {
          return examine(begin_ + first, begin_ + last);
        },
        [this](std::int64_t first, std::int64_t last, const auto& use) {
          for_edges(begin_ + first, begin_ + last, use);
        },
        [this](VertexId source, std::size_t arc) {
          return checked_weight(source, static_cast<std::int64_t>(arc));
        });
    facts.edges = std::ssize(list.edges);
    facts.surplus = static_cast<std::int64_t>(surplus_.load());
  }

 private:
  // Of the arrays, in a file of the right size.
  const char* checked_begin(std::string_view bytes) const {
    const std::uint64_t expected = gap_file_bytes(header_, weighted_);
    if (bytes.size() == expected) return bytes.data() + kGapHeaderBytes;
    const bool other_kind = bytes.size() == gap_file_bytes(header_, !weighted_);
    throw InputError(
        file_, 0,
        fmt::format("{} bytes, but {} and {} take {}{}", bytes.size(), counted(header_.arcs, "arc"),
                    counted(header_.vertices, "vertex"), expected,
                    !other_kind ? ""
                    : weighted_ ? "; without weights it would fit: give --format sg"
                                : "; with weights it would fit: give --format wsg"));
  }

  double checked_weight(std::int64_t source, std::int64_t arc) const {
    const double weight = arrays_.weight(arc);
    if (weight >= least_weight_) return weight;
    throw InputError(file_, 0,
                     fmt::format("vertex {} has an edge of weight {}, which is below {}", source,
                                 weight, least_weight_));
  }

  void check_offsets(const GapArrays& arrays) const {
    if (arrays.offset(0) != 0 || arrays.offset(header_.vertices) != header_.arcs) {
      throw InputError(
          file_, 0,
          fmt::format("damaged: offsets run from {} to {}, not 0 to {}", arrays.offset(0),
                      arrays.offset(header_.vertices), header_.arcs));
    }
    for_ranges(parallel_, header_.vertices, tuning::kRowGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t vertex = begin; vertex < end; ++vertex) {
                   if (arrays.offset(vertex) > arrays.offset(vertex + 1)) {
                     throw InputError(file_, 0,
                                      fmt::format("damaged: the neighbors of vertex {} end before "
                                                  "they begin",
                                                  vertex));
                   }
                 }
               });
  }

  // Of the arcs of a row: how many become edges, and sums of the hashes of the neighbors, as
  // sources and as targets.
  struct Row {
    std::uint64_t edges = 0;
    std::uint64_t sources = 0;
    std::uint64_t targets = 0;
  };

  // How many edges the arcs of these rows become; adds their hashes to the surplus.
  std::size_t examine(std::int64_t begin, std::int64_t end) {
    std::size_t edges = 0;
    std::uint64_t surplus = 0;
    for (std::int64_t vertex = begin; vertex < end; ++vertex) {
      const auto id = static_cast<std::uint64_t>(vertex);
      const auto row = [&](const GapArrays& arrays) {
        return weighted_ ? examine_row<true>(arrays, vertex) : examine_row<false>(arrays, vertex);
      };
      const Row out = row(arrays_);
      const Row in = header_.directed ? row(reverse_) : out;
      edges += out.edges;
      surplus += hash_source(id) * out.targets - hash_target(id) * in.sources;
    }
    surplus_.fetch_add(surplus, std::memory_order_relaxed);
    return edges;
  }

  template <bool kWeighted>
  Row examine_row(const GapArrays& arrays, std::int64_t vertex) const {
    Row row;
    const std::int64_t last = arrays.offset(vertex + 1);
    for (std::int64_t arc = arrays.offset(vertex); arc < last; ++arc) {
      const std::int64_t neighbor = arrays.neighbor(arc);
      if (neighbor < 0 || neighbor >= header_.vertices) {
        throw InputError(file_, 0,
                         fmt::format("damaged: vertex {} has a neighbor {} of {}", vertex, neighbor,
                                     header_.vertices));
      }
      const auto id = static_cast<std::uint64_t>(neighbor);
      const std::uint64_t factor =
          kWeighted ? 2 * static_cast<std::uint64_t>(arrays.weight(arc)) + 1 : 1;
      row.edges += static_cast<std::uint64_t>(becomes_edge(vertex, neighbor));
      row.sources += hash_source(id) * factor;
      row.targets += hash_target(id) * factor;
    }
    return row;
  }

  bool becomes_edge(std::int64_t source, std::int64_t target) const {
    return keep_all_ || source <= target;
  }

  // Calls use(source, target, arc) for the arcs that become edges, after they were examined.
  template <class Use>
  void for_edges(std::int64_t begin, std::int64_t end, const Use& use) const {
    for (std::int64_t source = begin; source < end; ++source) {
      const std::int64_t last = arrays_.offset(source + 1);
      for (std::int64_t arc = arrays_.offset(source); arc < last; ++arc) {
        const std::int64_t target = arrays_.neighbor(arc);
        if (becomes_edge(source, target))
          use(static_cast<VertexId>(source), static_cast<VertexId>(target),
              static_cast<std::size_t>(arc));
      }
    }
  }

  const std::string& file_;
  GapHeader header_;
  bool weighted_;
  GapArrays arrays_;   // by source
  GapArrays reverse_;  // by target, of a directed graph
  double least_weight_;
  bool keep_all_;
  std::int64_t begin_;  // the vertices of the part that is read
  std::int64_t end_;
  const ParallelFor& parallel_;
  // 0, if all parts are added up: the arcs by source less those by target.
  std::atomic<std::uint64_t> surplus_{0};
};

}  // namespace

EdgeList read_gap(Input input, bool weighted, const ReadOptions& options,
                  const ParallelFor& parallel) {
  input.read_all([&](std::string_view first) {
    const GapHeader header = parse_gap_header(first, input.name());
    return std::max(gap_file_bytes(header, true), gap_file_bytes(header, false));
  });
  GapReader reader(input, weighted, options, parallel);
  EdgeList list;
  list.vertex_count = reader.header().vertices;
  list.names = VertexNames::range(0, list.vertex_count);
  list.directed = options.directed.value_or(reader.header().directed);
  PartFacts facts;
  reader.read(weighted && options.want_weights, list, facts);
  finish_part(input.name(), options, facts);
  if (options.progress) options.progress(1.0);
  return list;
}

}  // namespace grappa::graph::io
