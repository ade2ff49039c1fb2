#pragma once

// Distinct strings, numbered in the order in which they come.
//
//   NameTable names;
//   VertexId id = names.add("alice");   // 0; again 0 the next time
//
// One thread at a time for add(); const members from any number of threads.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/structure/vertex_id.hpp"

namespace grappa::graph::io {

class NameTable {
 public:
  NameTable();

  std::size_t size() const noexcept { return offsets_.size() - 1; }
  std::string_view name(VertexId id) const noexcept {
    return std::string_view(bytes_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  /// The number of `name`, which is copied if it is new.
  VertexId add(std::string_view name);

  /// The names in ascending order, and for each number its place in that order.
  VertexNames sorted(std::vector<VertexId>& place) const;

 private:
  void grow();

  std::string bytes_;
  std::vector<std::uint64_t> offsets_;  // [names + 1] into bytes_
  std::vector<std::uint64_t> hashes_;   // [names]
  std::vector<VertexId> slots_;         // [power of two] numbers, or kEmpty
};

}  // namespace grappa::graph::io
