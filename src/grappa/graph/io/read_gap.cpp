// Serialized graphs of the GAP Benchmark Suite; gap_file.hpp has the layout.
//
// The neighbors by source are enough; those by target are not read. An undirected graph has each
// edge twice: the arc from the smaller end is taken (and self-loops once).

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/gap_file.hpp"
#include "grappa/graph/io/readers.hpp"

namespace grappa::graph::io {
namespace {

constexpr std::int64_t kGapGrain = 1 << 14;  // vertices

// The part of the file that is read; nothing in it is aligned.
class GapArrays {
 public:
  GapArrays(std::string_view bytes, const GapHeader& header, bool weighted)
      : offsets_(bytes.data() + kGapHeaderBytes),
        neighbors_(offsets_ + 8 * (header.vertices + 1)),
        weighted_(weighted) {}

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
        arrays_(checked_size(*input.whole(), weighted), header_, weighted),
        least_weight_(options.least_weight),
        keep_all_(header_.directed || options.directed == true),
        begin_(header_.vertices * options.part / options.parts),
        end_(header_.vertices * (options.part + 1) / options.parts),
        parallel_(parallel) {}

  const GapHeader& header() const { return header_; }

  void read(bool want_weights, EdgeList& list, PartFacts& facts) {
    check_offsets();
    const std::vector<std::int64_t> firsts = count_edges();
    facts.edges = firsts.back();
    if (!header_.directed) facts.surplus = count_surplus();
    list.edges.resize(static_cast<std::size_t>(firsts.back()));
    if (want_weights) list.weights.resize(list.edges.size());
    for_vertices([&](std::size_t range, std::int64_t begin, std::int64_t end) {
      auto edge = static_cast<std::size_t>(firsts[range]);
      for_edges(begin, end, [&](std::int64_t source, std::int64_t target, std::int64_t arc) {
        list.edges[edge] = {static_cast<VertexId>(source), static_cast<VertexId>(target)};
        if (want_weights) list.weights[edge] = checked_weight(source, arc);
        ++edge;
      });
    });
  }

 private:
  std::string_view checked_size(std::string_view bytes, bool weighted) const {
    const std::uint64_t expected = gap_file_bytes(header_, weighted);
    if (bytes.size() == expected) return bytes;
    const bool other_kind = bytes.size() == gap_file_bytes(header_, !weighted);
    throw InputError(file_, 0,
                     fmt::format("{} bytes, but {} arcs and {} vertices take {}{}", bytes.size(),
                                 header_.arcs, header_.vertices, expected,
                                 !other_kind ? ""
                                 : weighted  ? "; without weights it would fit: give --format sg"
                                             : "; with weights it would fit: give --format wsg"));
  }

  double checked_weight(std::int64_t source, std::int64_t arc) const {
    const double weight = arrays_.weight(arc);
    if (weight >= least_weight_) return weight;
    throw InputError(file_, 0,
                     fmt::format("vertex {} has an edge of weight {}, which is below {}", source,
                                 weight, least_weight_));
  }

  void check_offsets() const {
    if (arrays_.offset(0) != 0 || arrays_.offset(header_.vertices) != header_.arcs) {
      throw InputError(
          file_, 0,
          fmt::format("damaged: offsets run from {} to {}, not 0 to {}", arrays_.offset(0),
                      arrays_.offset(header_.vertices), header_.arcs));
    }
    for_ranges(parallel_, header_.vertices, kGapGrain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t vertex = begin; vertex < end; ++vertex) {
        if (arrays_.offset(vertex) > arrays_.offset(vertex + 1)) {
          throw InputError(file_, 0,
                           fmt::format("damaged: the neighbors of vertex {} end before "
                                       "they begin",
                                       vertex));
        }
      }
    });
  }

  // Calls use(source, target, arc) for the arcs that become edges.
  template <class Use>
  void for_edges(std::int64_t begin, std::int64_t end, const Use& use) const {
    for (std::int64_t source = begin; source < end; ++source) {
      const std::int64_t last = arrays_.offset(source + 1);
      for (std::int64_t arc = arrays_.offset(source); arc < last; ++arc) {
        const std::int64_t target = arrays_.neighbor(arc);
        if (target < 0 || target >= header_.vertices) {
          throw InputError(file_, 0,
                           fmt::format("damaged: vertex {} has a neighbor {} of {}", source, target,
                                       header_.vertices));
        }
        if (keep_all_ || source <= target) use(source, target, arc);
      }
    }
  }

  // Calls body(number of the range, begin, end) for ranges of the vertices of this part.
  template <class Body>
  void for_vertices(const Body& body) const {
    for_ranges(parallel_, end_ - begin_, kGapGrain, [&](std::int64_t begin, std::int64_t end) {
      body(static_cast<std::size_t>(begin / kGapGrain), begin_ + begin, begin_ + end);
    });
  }

  // An undirected graph has as many arcs to larger as to smaller vertices.
  std::int64_t count_surplus() const {
    std::atomic<std::int64_t> surplus{0};
    for_vertices([&](std::size_t, std::int64_t begin, std::int64_t end) {
      std::int64_t mine = 0;
      for (std::int64_t source = begin; source < end; ++source) {
        const std::int64_t last = arrays_.offset(source + 1);
        for (std::int64_t arc = arrays_.offset(source); arc < last; ++arc) {
          const std::int64_t target = arrays_.neighbor(arc);
          mine += (target > source) - (target < source);
        }
      }
      surplus.fetch_add(mine, std::memory_order_relaxed);
    });
    return surplus;
  }

  // The number of edges before each range of vertices, and of all.
  std::vector<std::int64_t> count_edges() const {
    std::vector<std::int64_t> firsts(
        static_cast<std::size_t>((end_ - begin_ + kGapGrain - 1) / kGapGrain) + 1, 0);
    for_vertices([&](std::size_t range, std::int64_t begin, std::int64_t end) {
      std::int64_t edges = 0;
      for_edges(begin, end, [&](std::int64_t, std::int64_t, std::int64_t) { ++edges; });
      firsts[range + 1] = edges;
    });
    for (std::size_t i = 1; i < firsts.size(); ++i) firsts[i] += firsts[i - 1];
    return firsts;
  }

  const std::string& file_;
  GapHeader header_;
  GapArrays arrays_;
  double least_weight_;
  bool keep_all_;
  std::int64_t begin_;  // the vertices of the part that is read
  std::int64_t end_;
  const ParallelFor& parallel_;
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
  if (options.facts == nullptr) {
    check_whole(input.name(), {&facts, 1});
  } else {
    *options.facts = facts;
  }
  if (options.progress) options.progress(1.0);
  return list;
}

}  // namespace grappa::graph::io
