#pragma once

// The layout of a .grappa file: a graph as it lies in memory, so that loading it is reading it.
//
//   StoredFile file("web.grappa");                       // opened, its header and size checked
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
#include <string>
#include <string_view>
#include <type_traits>

#include "grappa/graph/io/parallel_for.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/weights.hpp"

namespace grappa::graph::io {

inline constexpr std::uint64_t kStoredPage = 4096;
inline constexpr std::uint32_t kStoredVersion = 1;
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

  WeightRange weight_range() const {
    return {.least = least_weight, .greatest = greatest_weight, .integral = integral_weights != 0};
  }
};
static_assert(std::is_trivially_copyable_v<StoredHeader> && sizeof(StoredHeader) == 80);

/// What belongs into header.checksum.
std::uint64_t checksum_of(const StoredHeader& header);

/// Of the first bytes of a file.
StoredHeader parse_stored_header(std::string_view bytes, const std::string& file);

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

/// Reads and checks the names.
VertexNames read_stored_names(const StoredHeader& header, const ReadAt& read,
                              const std::string& file, const ParallelFor& parallel);

class StoredFile {
 public:
  explicit StoredFile(std::string path);
  StoredFile(const StoredFile&) = delete;
  StoredFile& operator=(const StoredFile&) = delete;
  ~StoredFile();

  const std::string& path() const { return path_; }
  const StoredHeader& header() const { return header_; }
  const StoredLayout& layout() const { return layout_; }

  void read(std::uint64_t begin, void* to, std::uint64_t bytes) const;

 private:
  std::string path_;
  int descriptor_;
  StoredHeader header_;
  StoredLayout layout_;
};

}  // namespace grappa::graph::io
