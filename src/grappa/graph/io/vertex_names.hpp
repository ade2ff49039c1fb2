#pragma once

// The names that a file gave its vertices, for the dense ids 0 ... n-1 that everything else uses.
//
//   const VertexNames& names = list.names;
//   if (auto id = names.find("4711")) use(*id);
//   names.append(line, 17);                          // adds the name of vertex 17
//
// Ids ascend with the names: integers by value, strings by their bytes. Three forms: a range of
// consecutive integers, which takes no memory; a sorted table of integers (8 bytes a vertex);
// sorted strings. Integers are below 2^63.
// Thread safety: const members may be called from any number of threads. None suspends a task.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/graph/structure/vertex_id.hpp"

namespace grappa::graph {

class VertexNames {
 public:
  /// No vertices.
  VertexNames() = default;
  /// first, first + 1, ... first + count - 1.
  static VertexNames range(std::uint64_t first, std::int64_t count);
  /// Strictly ascending integers; becomes a range where they are consecutive.
  static VertexNames integers(std::vector<std::uint64_t> ascending);
  /// Strictly ascending strings, name i being bytes[offsets[i] ... offsets[i + 1]).
  static VertexNames strings(std::string bytes, std::vector<std::uint64_t> offsets);

  std::int64_t size() const noexcept { return count_; }
  /// Whether the name of every vertex is its id.
  bool is_identity() const noexcept { return kind_ == Kind::kRange && first_ == 0; }
  bool is_integer() const noexcept { return kind_ != Kind::kStrings; }

  /// The name of `id`, which is below size().
  std::string name(VertexId id) const;
  /// The same, as an integer; only where is_integer().
  std::uint64_t integer(VertexId id) const noexcept {
    return kind_ == Kind::kRange ? first_ + id : integers_[id];
  }
  /// The same, as a string; only where not is_integer(). Valid as long as this object.
  std::string_view text(VertexId id) const noexcept {
    return std::string_view(bytes_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  /// Appends the name of `id` to `out`. A few nanoseconds: made for writing millions of lines.
  void append(std::string& out, VertexId id) const;

  /// The vertex of that name, if there is one. Integers may have leading zeros.
  std::optional<VertexId> find(std::string_view name) const;
  std::optional<VertexId> find(std::uint64_t name) const;

  /// Memory held, in bytes.
  std::size_t memory_bytes() const noexcept;

 private:
  enum class Kind : std::uint8_t { kRange, kTable, kStrings };

  Kind kind_ = Kind::kRange;
  std::uint64_t first_ = 0;  // kRange
  std::int64_t count_ = 0;
  std::vector<std::uint64_t> integers_;  // kTable: [vertices], ascending
  std::string bytes_;                    // kStrings: the names one behind the other
  std::vector<std::uint64_t> offsets_;   // kStrings: [vertices + 1]
};

/// Appends the decimal digits of `value`.
void append_integer(std::string& out, std::uint64_t value);

}  // namespace grappa::graph
