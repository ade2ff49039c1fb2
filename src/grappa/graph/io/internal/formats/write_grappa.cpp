// Our own format; stored_file.hpp has the layout.
//
// The rows are made as for the other formats of neighbors, and written one section after the
// other: what is written goes into the system's cache as fast as one core copies.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/io/internal/formats/adjacency.hpp"
#include "grappa/graph/io/internal/formats/stored_file.hpp"
#include "grappa/graph/io/internal/formats/stored_rows.hpp"
#include "grappa/graph/io/internal/formats/writers.hpp"

namespace grappa::graph::io {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 17;  // elements

// Writes a section, which may come in several parts.
class SectionWriter {
 public:
  explicit SectionWriter(OutputFile& out) : out_(out) {}

  template <class T>
  void write(const T* values, std::size_t count) {
    out_.write({reinterpret_cast<const char*>(values), count * sizeof(T)});
    bytes_ += count * sizeof(T);
    if (hashes_) hash({reinterpret_cast<const std::byte*>(values), count * sizeof(T)});
  }
  // From here on, sections are hashed.
  void begin_names() { hashes_ = true; }
  std::uint64_t sum_of_names() const { return sum_; }
  // Of `count` values, each of which is of(index).
  template <class T, class Of>
  void write_made(std::size_t count, const Of& of) {
    std::vector<T> piece;
    for (std::size_t first = 0; first < count; first += kPiece) {
      piece.clear();
      for (std::size_t i = first; i < std::min(count, first + kPiece); ++i) piece.push_back(of(i));
      write(piece.data(), piece.size());
    }
  }
  void finish() {
    const std::string zeros((kStoredPage - bytes_ % kStoredPage) % kStoredPage, '\0');
    out_.write(zeros);
    end_piece();
    bytes_ = 0;
    index_ = 0;
  }

 private:
  void hash(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t n = std::min(bytes.size(), kNamePiece - piece_.size());
      piece_.insert(piece_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
      if (piece_.size() == kNamePiece) end_piece();
      bytes = bytes.subspan(n);
    }
  }
  void end_piece() {
    if (piece_.empty()) return;
    sum_ += piece_sum(piece_, index_++);
    piece_.clear();
  }

  OutputFile& out_;
  std::uint64_t bytes_ = 0;
  bool hashes_ = false;
  std::vector<std::byte> piece_;
  std::uint64_t index_ = 0;  // of the piece in its section
  std::uint64_t sum_ = 0;
};

void write_rows(const Adjacency& rows, const StoredHeader& header, SectionWriter& out) {
  out.write(rows.offsets.data(), rows.offsets.size());
  out.finish();
  visit_stored_ids(header, [&]<class Id>(Id) {
    if constexpr (sizeof(Id) == sizeof(VertexId)) {
      out.write(rows.neighbors.data(), rows.neighbors.size());
    } else {
      out.write_made<Id>(rows.neighbors.size(),
                         [&](std::size_t i) { return static_cast<Id>(rows.neighbors[i]); });
    }
  });
  out.finish();
  visit_weights(header.weight_type, [&]<class W>(W) {
    if constexpr (!std::is_same_v<W, UnitWeight>) {
      out.write_made<W>(rows.weights.size(),
                        [&](std::size_t i) { return static_cast<W>(rows.weights[i]); });
    }
  });
  out.finish();
}

void write_names(const VertexNames& names, StoredNames kind, SectionWriter& out) {
  const auto count = static_cast<std::size_t>(names.size());
  const auto id = [](std::size_t i) { return static_cast<VertexId>(i); };
  if (kind == StoredNames::kNumbers) {
    out.write_made<std::uint64_t>(count, [&](std::size_t i) { return names.integer(id(i)); });
    out.finish();
  } else if (kind == StoredNames::kStrings) {
    std::uint64_t end = 0;
    out.write_made<std::uint64_t>(count + 1, [&](std::size_t i) {
      if (i > 0) end += names.text(id(i - 1)).size();
      return end;
    });
    out.finish();
    for (std::size_t i = 0; i < count; ++i)
      out.write(names.text(id(i)).data(), names.text(id(i)).size());
    out.finish();
  }
}

// Neither self-loops nor equal neighbors.
bool is_simple(const Adjacency& rows, const ParallelFor& parallel) {
  std::atomic<bool> simple{true};
  const auto count = static_cast<std::int64_t>(rows.offsets.size()) - 1;
  for_ranges(parallel, count, tuning::kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t v = begin; v < end; ++v) {
      const auto row = rows.neighbors_of(v);
      if (std::ranges::adjacent_find(row) != row.end() ||
          std::ranges::binary_search(row, static_cast<VertexId>(v))) {
        simple.store(false, std::memory_order_relaxed);
        return;
      }
    }
  });
  return simple.load(std::memory_order_relaxed);
}

void describe_names(const VertexNames& names, StoredHeader& header) {
  if (names.size() == 0) return;  // the vertices are called by their numbers
  const auto last = static_cast<VertexId>(names.size() - 1);
  if (!names.is_integer()) {
    header.names = StoredNames::kStrings;
    for (VertexId id = 0;; ++id) {
      header.name_bytes += names.text(id).size();
      if (id == last) return;
    }
  }
  if (names.integer(last) - names.integer(0) == static_cast<std::uint64_t>(last)) {
    header.first_name = names.integer(0);
  } else {
    header.names = StoredNames::kNumbers;
  }
}

}  // namespace

std::string write_grappa(const EdgeList& list, OutputFile& out, const ParallelFor& parallel) {
  StoredHeader header;
  header.vertices = static_cast<std::uint64_t>(list.vertex_count);
  header.directed = list.directed ? 1 : 0;
  header.id_bytes = header.vertices > kMaxNarrowIds ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
  describe_names(list.names, header);
  if (!list.weights.empty()) {
    const WeightRange range = range_of(list.weights);
    header.weight_type = range.type();
    header.least_weight = range.least;
    header.greatest_weight = range.greatest;
    header.integral_weights = range.integral ? 1 : 0;
  }
  SectionWriter sections(out);
  StoredSums sums;
  {
    const Adjacency rows =
        build_adjacency(list, list.directed ? ArcsOf::kSource : ArcsOf::kBothEnds, parallel);
    header.arcs = rows.neighbors.size();
    header.simple = is_simple(rows, parallel) ? 1 : 0;
    header.checksum = checksum_of(header);
    sections.write(&header, 1);
    sections.finish();
    write_rows(rows, header, sections);
    sums = sums_of_rows(rows, header, parallel);
  }
  if (list.directed) write_rows(build_adjacency(list, ArcsOf::kTarget, parallel), header, sections);
  sections.begin_names();
  write_names(list.names, header.names, sections);
  sums.names = sections.sum_of_names();
  sums.checksum = checksum_of(sums);
  sections.write(&sums, 1);
  sections.finish();
  return {};
}

}  // namespace grappa::graph::io
