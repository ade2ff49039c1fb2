#pragma once

// A .grappa file as a build writes it whose graphs have 2^32 vertices or more.
//
//   std::string wide = with_wide_ids(bytes);      // of a small file

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "grappa/graph/io/internal/formats/stored_file.hpp"

namespace grappa::graph {

/// The same file with 8 bytes for an id, where `bytes` has 4.
inline std::string with_wide_ids(const std::string& bytes) {
  io::StoredHeader header = io::parse_stored_header(bytes, "test.file");
  const io::StoredLayout before = io::layout_of(header);
  header.id_bytes = sizeof(std::uint64_t);
  header.checksum = io::checksum_of(header);
  const io::StoredLayout after = io::layout_of(header);
  std::string wide(after.file_bytes, '\0');
  std::memcpy(wide.data(), &header, sizeof header);
  const auto copy = [&](const io::StoredSection& from, const io::StoredSection& to) {
    std::memcpy(wide.data() + to.begin, bytes.data() + from.begin, from.bytes);
  };
  const std::pair<const io::StoredRowsLayout&, const io::StoredRowsLayout&> rows[] = {
      {before.out, after.out}, {before.in, after.in}};
  for (const auto& [from, to] : rows) {
    copy(from.offsets, to.offsets);
    copy(from.weights, to.weights);
    for (std::uint64_t i = 0; i < from.targets.bytes / sizeof(std::uint32_t); ++i) {
      std::uint32_t narrow = 0;
      std::memcpy(&narrow, bytes.data() + from.targets.begin + i * sizeof narrow, sizeof narrow);
      const std::uint64_t id = narrow;
      std::memcpy(wide.data() + to.targets.begin + i * sizeof id, &id, sizeof id);
    }
  }
  copy(before.names, after.names);
  copy(before.name_bytes, after.name_bytes);
  copy(before.sums, after.sums);
  return wide;
}

}  // namespace grappa::graph
