// Our own format as a source of edges, for whoever cannot take its rows as they are: a command that
// wants them otherwise (symmetrized, simplified, as edges), or gets the file compressed.
// stored_file.hpp has the layout.
//
// The rows by source say it all. Of an undirected graph, in which each edge stands twice, the arc
// from the smaller end is taken (and self-loops once).

#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/graph/io/internal/formats/stored_rows.hpp"

namespace grappa::graph::io {
namespace {

class StoredReader {
 public:
  StoredReader(const Input& input, const ReadOptions& options, const ParallelFor& parallel)
      : file_(input.name()),
        bytes_(*input.whole()),
        header_(parse_stored_header(bytes_, file_)),
        layout_(checked_layout()),
        weights_(options.want_weights ? header_.weight_type : WeightType::kNone),
        keep_all_(header_.directed != 0 || options.directed == true),
        is_first_part_(options.part == 0),
        begin_(part_begin(options.part, options.parts)),
        end_(part_begin(options.part + 1, options.parts)),
        offsets_(copy_of_offsets()),
        sums_(read_stored_sums(header_, read_at(), file_)),
        parallel_(parallel) {}

  const StoredHeader& header() const { return header_; }

  VertexNames names() const { return read_stored_names(header_, read_at(), file_, parallel_); }

  void read(EdgeList& list, PartFacts& facts) {
    check_offsets(offsets_, begin_, header_, file_);
    const std::vector<std::size_t> firsts = check_and_count(facts);
    list.edges.resize(firsts.back());
    if (weights_ != WeightType::kNone) list.weights.resize(firsts.back());
    visit_weights(weights_, [&]<class W>(W) {
      for_vertices([&](std::size_t range, std::int64_t begin, std::int64_t end) {
        std::size_t edge = firsts[range];
        for_edges(begin, end, [&](VertexId source, VertexId target, std::uint64_t arc) {
          list.edges[edge] = {source, target};
          if constexpr (!std::is_same_v<W, UnitWeight>)
            list.weights[edge] = static_cast<double>(element<W>(layout_.out.weights, arc));
          ++edge;
        });
      });
    });
  }

 private:
  ReadAt read_at() const {
    return [this](std::uint64_t begin, void* to, std::uint64_t bytes) {
      std::memcpy(to, bytes_.data() + begin, bytes);
    };
  }

  StoredLayout checked_layout() const {
    check_stored_size(header_, bytes_.size(), file_);
    return layout_of(header_);
  }

  std::int64_t part_begin(int part, int parts) const {
    return static_cast<std::int64_t>(header_.vertices) * part / parts;
  }

  std::vector<std::uint64_t> copy_of_offsets() const {
    std::vector<std::uint64_t> offsets(static_cast<std::size_t>(end_ - begin_) + 1);
    std::memcpy(offsets.data(),
                bytes_.data() + layout_.out.offsets.begin +
                    static_cast<std::size_t>(begin_) * sizeof(std::uint64_t),
                offsets.size() * sizeof(std::uint64_t));
    return offsets;
  }

  // Sections are aligned, and so is what Input holds.
  template <class T>
  const T* elements(const StoredSection& section) const {
    return reinterpret_cast<const T*>(bytes_.data() + section.begin);
  }
  template <class T>
  T element(const StoredSection& section, std::uint64_t index) const {
    return elements<T>(section)[index];
  }

  // Calls body(number of the range, begin, end) for ranges of the vertices of this part, from 0.
  template <class Body>
  void for_vertices(const Body& body) const {
    for_ranges(parallel_, end_ - begin_, tuning::kRowGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 body(static_cast<std::size_t>(begin / tuning::kRowGrain), begin, end);
               });
  }

  // Calls use(source, target, arc) for the arcs that become edges.
  template <class Use>
  void for_edges(std::int64_t begin, std::int64_t end, const Use& use) const {
    visit_stored_ids(header_, [&]<class Id>(Id) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        const auto source = static_cast<VertexId>(static_cast<std::size_t>(begin_) + i);
        for (std::uint64_t arc = offsets_[i]; arc < offsets_[i + 1]; ++arc) {
          const auto target = static_cast<VertexId>(element<Id>(layout_.out.targets, arc));
          if (keep_all_ || source <= target) use(source, target, arc);
        }
      }
    });
  }

  // The number of edges before each range of vertices, and of all.
  std::vector<std::size_t> check_and_count(PartFacts& facts) const {
    const RowCheck check(header_, weights_, RowsOf::kOut, file_);
    const auto ranges =
        static_cast<std::size_t>((end_ - begin_ + tuning::kRowGrain - 1) / tuning::kRowGrain);
    std::vector<std::size_t> firsts(ranges + 1, 0);
    std::vector<RowFacts> found(ranges);
    for_vertices([&](std::size_t range, std::int64_t begin, std::int64_t end) {
      found[range] = visit_stored_ids(header_, [&]<class Id>(Id previous) {
        return check.arcs(begin_, offsets_, elements<Id>(layout_.out.targets),
                          elements<std::byte>(layout_.out.weights),
                          offsets_[static_cast<std::size_t>(begin)],
                          offsets_[static_cast<std::size_t>(end)], previous);
      });
      for_edges(begin, end, [&](VertexId, VertexId, std::uint64_t) { ++firsts[range + 1]; });
    });
    RowFacts sum;
    for (const RowFacts& of_range : found) sum.add(of_range);
    // Of all parts together, nothing is left.
    if (header_.has_sums() && is_first_part_) sum.surplus -= sums_.of_arcs(weights_);
    if (header_.has_sums() || header_.directed == 0)
      facts.surplus = static_cast<std::int64_t>(sum.surplus);
    for (std::size_t i = 1; i < firsts.size(); ++i) firsts[i] += firsts[i - 1];
    facts.edges = static_cast<std::int64_t>(firsts.back());
    return firsts;
  }

  const std::string& file_;
  const std::string_view bytes_;
  const StoredHeader header_;
  const StoredLayout layout_;
  const WeightType weights_;  // that are read
  const bool keep_all_;
  const bool is_first_part_;
  const std::int64_t begin_;  // the vertices of the part that is read
  const std::int64_t end_;
  const std::vector<std::uint64_t> offsets_;  // theirs
  const StoredSums sums_;
  const ParallelFor& parallel_;
};

}  // namespace

EdgeList read_grappa(Input input, const ReadOptions& options, const ParallelFor& parallel) {
  input.read_all([&](std::string_view first) {
    return layout_of(parse_stored_header(first, input.name())).file_bytes;
  });
  StoredReader reader(input, options, parallel);
  if (options.want_weights)
    check_stored_weights(reader.header(), options.least_weight, input.name());
  EdgeList list;
  list.vertex_count = static_cast<std::int64_t>(reader.header().vertices);
  list.names = reader.names();
  list.directed = options.directed.value_or(reader.header().directed != 0);
  if (!reader.header().has_sums()) add_note(list, kWithoutSums);
  PartFacts facts;
  reader.read(list, facts);
  finish_part(input.name(), options, facts);
  if (options.progress) options.progress(1.0);
  return list;
}

}  // namespace grappa::graph::io
