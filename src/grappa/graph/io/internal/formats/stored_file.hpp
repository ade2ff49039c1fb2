#pragma once

// The layout of a .grappa file: a graph as it lies in memory, so that loading it is reading it.
//
//   const ExaminedFile examined("web.grappa");
//   StoredFile file(examined);                           // its header and size checked
//   file.read(file.layout().out.targets.begin, to, bytes);
//
// Little-endian. The header below, then the sections one after the other, each beginning at a
// multiple of 4096 bytes and padded with zeros to one:
//   out:   uint64 offsets[vertices + 1]    of rows into the targets, from 0
//          ids targets[arcs]               ascending in each row, equal ones by weight; uint32, or
//                                          uint64 where the header's id_bytes are 8
//          weights[arcs]                   uint8, uint32 or double, as weight_type says, or none
//   in:    the same by target              of directed graphs only
//   names: uint64 numbers[vertices]        kNumbers, ascending; or
//          uint64 offsets[vertices + 1]    kStrings, into the bytes, which are the next section
//   sums:  StoredSums                      since version 2; files of version 1 end before it
//
// The sums of the rows are those that are formed in any case while the rows are checked, so they
// find damage at no cost, and whoever reads a part of the rows adds a part of the sum.
//
// Ids are written with 4 bytes where those do, so that builds with vertices of 32 and of 64 bits
// (vertex_id.hpp) read each other's files; either reads both kinds.
// An undirected edge stands in the rows of both its ends, a self-loop once. Everything but the
// lengths of the sections follows from the header, and so do the lengths: a file of another size
// is refused before anything else is looked at. Rows are checked as they are read
// (stored_rows.hpp).
//
// Errors: InputError. Thread safety: read() may be called from any number of threads.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/structure/weights.hpp"
#include "grappa/io/examined_file.hpp"
#include "grappa/io/parallel_for.hpp"

namespace grappa::graph::io {

inline constexpr std::uint64_t kStoredPage = 4096;
inline constexpr std::uint32_t kStoredVersion = 2;
inline constexpr std::uint32_t kVersionWithoutSums = 1;
inline constexpr std::uint64_t kMaxNarrowIds = 0xffffffff;  // with 4 bytes each
inline constexpr std::uint64_t kMaxStoredArcs = std::uint64_t{1} << 48;

enum class StoredNames : std::uint8_t { kRange, kNumbers, kStrings };

/// The first bytes of the file.
struct StoredHeader {
  char magic[8] = {'G', 'R', 'A', 'P', 'P', 'A', '\r', '\n'};
  std::uint32_t byte_order = 0x01020304;
  std::uint32_t version = kStoredVersion;
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t first_name = 0;  // kRange
  std::uint64_t name_bytes = 0;  // kStrings
  double least_weight = 1;
  double greatest_weight = 1;
  std::uint8_t directed = 0;
  std::uint8_t simple = 0;  // neither self-loops nor equal edges
  WeightType weight_type = WeightType::kNone;
  StoredNames names = StoredNames::kRange;
  std::uint8_t integral_weights = 1;
  std::uint8_t offset_bytes = 8;
  std::uint8_t id_bytes = 4;  // of a target: 4 or 8
  std::uint8_t unused = 0;
  std::uint64_t checksum = 0;  // FNV-1a of all before

  bool has_sums() const { return version > kVersionWithoutSums; }
  WeightRange weight_range() const {
    return {.least = least_weight, .greatest = greatest_weight, .integral = integral_weights != 0};
  }
};
static_assert(std::is_trivially_copyable_v<StoredHeader> && sizeof(StoredHeader) == 80);

/// What belongs into header.checksum.
std::uint64_t checksum_of(const StoredHeader& header);

/// Of the first bytes of a file.
StoredHeader parse_stored_header(std::string_view bytes, const std::string& file);

/// What the parts of an undamaged file add up to.
struct StoredSums {
  std::uint64_t arcs = 0;       // RowFacts::surplus of the rows by source
  std::uint64_t bare_arcs = 0;  // the same, if the weights are not looked at
  std::uint64_t names = 0;      // of both sections (piece_sum)
  std::uint64_t checksum = 0;   // FNV-1a of all before

  std::uint64_t of_arcs(WeightType read) const {
    return read == WeightType::kNone ? bare_arcs : arcs;
  }
};
static_assert(std::is_trivially_copyable_v<StoredSums> && sizeof(StoredSums) == 32);

std::uint64_t checksum_of(const StoredSums& sums);

/// Names are hashed in pieces of this size, in any order.
inline constexpr std::size_t kNamePiece = std::size_t{1} << 20;
/// What a piece adds to the sum: the one with number `index` in its section.
std::uint64_t piece_sum(std::span<const std::byte> piece, std::uint64_t index);

struct StoredSection {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  // without the padding
};
struct StoredRowsLayout {
  StoredSection offsets;
  StoredSection targets;
  StoredSection weights;
};
struct StoredLayout {
  StoredRowsLayout out;
  StoredRowsLayout in;
  StoredSection names;
  StoredSection name_bytes;
  StoredSection sums;
  std::uint64_t file_bytes = 0;
};
StoredLayout layout_of(const StoredHeader& header);

/// Calls f with a number of the type that targets have in the file.
template <class F>
decltype(auto) visit_stored_ids(const StoredHeader& header, const F& f) {
  return header.id_bytes == sizeof(std::uint32_t) ? f(std::uint32_t{}) : f(std::uint64_t{});
}

void check_stored_size(const StoredHeader& header, std::uint64_t bytes, const std::string& file);

/// InputError if a weight is below `least`.
void check_stored_weights(const StoredHeader& header, double least, const std::string& file);

/// Puts `bytes` from the place `begin` of a file to `to`.
using ReadAt = std::function<void(std::uint64_t begin, void* to, std::uint64_t bytes)>;

/// All 0 if the file has none.
StoredSums read_stored_sums(const StoredHeader& header, const ReadAt& read,
                            const std::string& file);

/// Reads and checks the names.
VertexNames read_stored_names(const StoredHeader& header, const ReadAt& read,
                              const std::string& file, const ParallelFor& parallel);

/// What to say of a file without sums.
inline constexpr const char* kWithoutSums =
    "an older file without checksums: damage can go unnoticed; convert it again to have them";

/// Such a file on disk, its header and size checked. The file must live as long.
class StoredFile {
 public:
  explicit StoredFile(const ExaminedFile& file);
  /// The same, where the header has been checked already.
  StoredFile(const ExaminedFile& file, const StoredHeader& header)
      : file_(&file), header_(header), layout_(layout_of(header)) {}

  const std::string& path() const { return file_->path(); }
  const StoredHeader& header() const { return header_; }
  const StoredLayout& layout() const { return layout_; }

  void read(std::uint64_t begin, void* to, std::uint64_t bytes) const {
    file_->read(begin, to, bytes);
  }
  ReadAt read_at() const {
    return [this](std::uint64_t begin, void* to, std::uint64_t bytes) { read(begin, to, bytes); };
  }

 private:
  const ExaminedFile* file_;
  StoredHeader header_;
  StoredLayout layout_;
};

}  // namespace grappa::graph::io
