#include "grappa/graph/io/internal/formats/stored_file.hpp"

#include <fmt/format.h>
#include <iterator>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/graph/checkpoint/internal/content_hash.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/io/internal/names/compact_ids.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

static_assert(std::endian::native == std::endian::little);

/// FNV-1a of the first `bytes` bytes of a value.
template <class T>
std::uint64_t fnv_before(const T& value, std::size_t bytes) {
  unsigned char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof raw);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ raw[i]) * 0x100000001b3;
  return hash;
}

bool has_sound_weights(const StoredHeader& header) {
  if (header.weight_type == WeightType::kNone) return true;
  const WeightRange range = header.weight_range();
  return range.least <= range.greatest && std::isfinite(range.least) &&
         std::isfinite(range.greatest) && range.type() == header.weight_type;
}

bool has_sound_ids(const StoredHeader& header) {
  if (header.id_bytes == sizeof(std::uint64_t)) return header.vertices >> 63 == 0;
  return header.id_bytes == sizeof(std::uint32_t) && header.vertices <= kMaxNarrowIds;
}

bool is_sound(const StoredHeader& header) {
  return has_sound_ids(header) && header.arcs <= kMaxStoredArcs &&
         (header.vertices > 0 || header.arcs == 0) && header.name_bytes <= kMaxStoredArcs &&
         header.directed <= 1 && header.simple <= 1 && header.weight_type <= WeightType::kDouble &&
         header.names <= StoredNames::kStrings && header.integral_weights <= 1 &&
         header.offset_bytes == sizeof(std::uint64_t) &&
         header.first_name <= (std::uint64_t{1} << 63) - header.vertices &&
         has_sound_weights(header);
}

/// Gives sections their places.
class Placer {
 public:
  StoredSection place(std::uint64_t bytes) {
    const StoredSection section{end_, bytes};
    end_ += (bytes + kStoredPage - 1) / kStoredPage * kStoredPage;
    return section;
  }
  StoredRowsLayout place_rows(const StoredHeader& header) {
    StoredRowsLayout rows;
    rows.offsets = place((header.vertices + 1) * sizeof(std::uint64_t));
    rows.targets = place(header.arcs * header.id_bytes);
    rows.weights = place(header.arcs * weight_bytes(header.weight_type));
    return rows;
  }
  std::uint64_t end() const { return end_; }

 private:
  std::uint64_t end_ = kStoredPage;
};

/// Returns the sum of the pieces.
std::uint64_t read_in_pieces(const StoredSection& section, void* to, const ReadAt& read,
                             const ParallelFor& parallel) {
  std::atomic<std::uint64_t> sum{0};
  for_ranges(parallel, static_cast<std::int64_t>(section.bytes), kNamePiece,
             [&](std::int64_t begin, std::int64_t end) {
               std::byte* const piece = static_cast<std::byte*>(to) + begin;
               const auto bytes = static_cast<std::size_t>(end - begin);
               read(section.begin + static_cast<std::uint64_t>(begin), piece, bytes);
               sum.fetch_add(
                   piece_sum({piece, bytes}, static_cast<std::uint64_t>(begin) / kNamePiece),
                   std::memory_order_relaxed);
             });
  return sum.load();
}

void check_name_sum(std::uint64_t sum, const StoredHeader& header, const ReadAt& read,
                    const std::string& file) {
  if (header.has_sums() && sum != read_stored_sums(header, read, file).names)
    throw InputError(file, 0, "damaged: the checksum of the names is wrong");
}

/// Checks that names are in order: holds(i) for all i in [0, n).
template <class Holds>
void check_names(std::int64_t n, const std::string& file, const ParallelFor& parallel,
                 const Holds& holds) {
  for_ranges(parallel, n, tuning::kNameGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (!holds(static_cast<std::size_t>(i))) {
        throw InputError(file, 0, fmt::format("damaged: the name of vertex {} is out of order", i));
      }
    }
  });
}

VertexNames read_strings(const StoredHeader& header, const StoredLayout& layout, const ReadAt& read,
                         const std::string& file, const ParallelFor& parallel) {
  const auto n = static_cast<std::int64_t>(header.vertices);
  std::vector<std::uint64_t> offsets(header.vertices + 1);
  std::string bytes(header.name_bytes, '\0');
  const std::uint64_t sum = read_in_pieces(layout.names, offsets.data(), read, parallel) +
                            read_in_pieces(layout.name_bytes, bytes.data(), read, parallel);
  if (offsets.front() != 0 || offsets.back() != header.name_bytes)
    throw InputError(file, 0, "damaged: the names do not fill their section");
  check_names(n, file, parallel, [&](std::size_t i) { return offsets[i] <= offsets[i + 1]; });
  const auto name = [&](std::size_t i) {
    return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  };
  check_names(n, file, parallel, [&](std::size_t i) { return i == 0 || name(i - 1) < name(i); });
  check_name_sum(sum, header, read, file);
  return VertexNames::strings(std::move(bytes), std::move(offsets));
}

}  // namespace

std::uint64_t checksum_of(const StoredHeader& header) {
  return fnv_before(header, offsetof(StoredHeader, checksum));
}

std::uint64_t checksum_of(const StoredSums& sums) {
  return fnv_before(sums, offsetof(StoredSums, checksum));
}

std::uint64_t piece_sum(std::span<const std::byte> piece, std::uint64_t index) {
  ContentHash hash;
  hash.add(std::as_bytes(std::span(&index, 1)));
  hash.add(piece);
  return hash.value();
}

StoredSums read_stored_sums(const StoredHeader& header, const ReadAt& read,
                            const std::string& file) {
  StoredSums sums;
  if (!header.has_sums()) return sums;
  read(layout_of(header).sums.begin, &sums, sizeof sums);
  if (sums.checksum != checksum_of(sums))
    throw InputError(file, 0, "damaged: the checksum of the checksums is wrong");
  return sums;
}

StoredHeader parse_stored_header(std::string_view bytes, const std::string& file) {
  const StoredHeader right;
  if (bytes.substr(0, sizeof right.magic) != std::string_view(right.magic, sizeof right.magic))
    throw InputError(file, 0, "not a graph of the format grappa: it begins with something else");
  if (bytes.size() < kStoredPage) {
    throw InputError(file, 0,
                     fmt::format("truncated: {}, the header alone has {}",
                                 counted(std::ssize(bytes), "byte"), kStoredPage));
  }
  StoredHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.byte_order != right.byte_order)
    throw InputError(file, 0, "damaged, or written by a machine with another byte order");
  if (header.version < kVersionWithoutSums || header.version > kStoredVersion) {
    throw InputError(file, 0,
                     fmt::format("version {} of the format grappa; versions up to {} are known",
                                 header.version, kStoredVersion));
  }
  if (header.checksum != checksum_of(header))
    throw InputError(file, 0, "damaged: the header's checksum is wrong");
  if (!is_sound(header)) {
    throw InputError(file, 0,
                     fmt::format("damaged: the header contradicts itself ({} vertices, {} arcs)",
                                 header.vertices, header.arcs));
  }
  check_vertex_count(header.vertices, file);
  return header;
}

StoredLayout layout_of(const StoredHeader& header) {
  Placer placer;
  StoredLayout layout;
  layout.out = placer.place_rows(header);
  if (header.directed != 0) layout.in = placer.place_rows(header);
  if (header.names == StoredNames::kNumbers) {
    layout.names = placer.place(header.vertices * sizeof(std::uint64_t));
  } else if (header.names == StoredNames::kStrings) {
    layout.names = placer.place((header.vertices + 1) * sizeof(std::uint64_t));
    layout.name_bytes = placer.place(header.name_bytes);
  }
  if (header.has_sums()) layout.sums = placer.place(sizeof(StoredSums));
  layout.file_bytes = placer.end();
  return layout;
}

void check_stored_size(const StoredHeader& header, std::uint64_t bytes, const std::string& file) {
  const std::uint64_t expected = layout_of(header).file_bytes;
  if (bytes == expected) return;
  throw InputError(file, 0,
                   fmt::format("{}: {} bytes, but {} arcs and {} vertices take {}",
                               bytes < expected ? "truncated" : "damaged", bytes, header.arcs,
                               header.vertices, expected));
}

void check_stored_weights(const StoredHeader& header, double least, const std::string& file) {
  if (header.weight_type == WeightType::kNone || header.least_weight >= least) return;
  throw InputError(
      file, 0,
      fmt::format("the least weight is {}, which is below {}", header.least_weight, least));
}

VertexNames read_stored_names(const StoredHeader& header, const ReadAt& read,
                              const std::string& file, const ParallelFor& parallel) {
  const auto n = static_cast<std::int64_t>(header.vertices);
  const StoredLayout layout = layout_of(header);
  switch (header.names) {
    case StoredNames::kRange:
      return VertexNames::range(header.first_name, n);
    case StoredNames::kStrings:
      return read_strings(header, layout, read, file, parallel);
    case StoredNames::kNumbers:
      break;
  }
  std::vector<std::uint64_t> numbers(header.vertices);
  const std::uint64_t sum = read_in_pieces(layout.names, numbers.data(), read, parallel);
  check_names(n, file, parallel, [&](std::size_t i) {
    return numbers[i] >> 63 == 0 && (i == 0 || numbers[i - 1] < numbers[i]);
  });
  check_name_sum(sum, header, read, file);
  return VertexNames::integers(std::move(numbers));
}

StoredFile::StoredFile(const ExaminedFile& file)
    : StoredFile(file, parse_stored_header(file.start(), file.path())) {
  check_stored_size(header_, file.bytes(), file.path());
}

}  // namespace grappa::graph::io
