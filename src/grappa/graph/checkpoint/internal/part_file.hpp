#pragma once

// A part of a checkpoint: pieces of arrays for a range of vertices, one array after the other.
//
//   Manifest::Part part = write_part("DIR", "part-…-0", begin, end, arrays);
//   read_part("DIR", part, begin, end, arrays);        // the vertices that both have
//
// `arrays` are those of the calling locale, whose first vertex is `first`. Errors: Error where a
// part cannot be written, and nothing is left of it; InputError where one is missing or damaged.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grappa/graph/checkpoint/internal/manifest.hpp"

namespace grappa::graph {

/// The elements of a locale's vertices.
struct ArrayPiece {
  std::byte* data = nullptr;
  std::int64_t element_bytes = 0;
};

/// Writes `arrays`, the pieces of vertices [begin, end).
Manifest::Part write_part(const std::string& folder, const std::string& name, std::int64_t begin,
                          std::int64_t end, std::span<const ArrayPiece> arrays);

/// Checks the whole part, and copies from it what belongs to vertices [begin, end), whose pieces
/// are `arrays`.
void read_part(const std::string& folder, const Manifest::Part& part, std::int64_t begin,
               std::int64_t end, std::span<const ArrayPiece> arrays);

/// Removes the parts in the folder that are not of the checkpoint `id`.
void remove_other_parts(const std::string& folder, const std::string& id);
/// The name of a locale's part of the checkpoint `id`, 16 hexadecimal digits.
std::string part_name(const std::string& id, int locale);

}  // namespace grappa::graph
