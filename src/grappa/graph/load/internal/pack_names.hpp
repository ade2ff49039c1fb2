#pragma once

// Names of vertices, one after the other, to be sent to another locale (base/serialize.hpp).
//
//   std::vector<std::byte> bytes = pack_names(names, 10, 20);
//   VertexNames ten = unpack_names(bytes);

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "grappa/graph/io/vertex_names.hpp"

namespace grappa::graph {

/// Names [begin, end), in ascending order as ever.
std::vector<std::byte> pack_names(const VertexNames& names, std::int64_t begin, std::int64_t end);
VertexNames unpack_names(std::span<const std::byte> bytes);

/// Both are of one kind, integers or strings.
std::strong_ordering compare_names(const VertexNames& a, std::int64_t i, const VertexNames& b,
                                   std::int64_t j);

/// Collects names, which must be added in ascending order.
class NameCollector {
 public:
  void add(const VertexNames& names, std::int64_t i);
  std::int64_t size() const;
  VertexNames take();

 private:
  std::vector<std::uint64_t> integers_;
  std::string bytes_;
  std::vector<std::uint64_t> offsets_{0};
  bool strings_ = false;

 public:
  static constexpr auto kMembers = std::tuple(&NameCollector::integers_, &NameCollector::bytes_,
                                              &NameCollector::offsets_, &NameCollector::strings_);
};

}  // namespace grappa::graph
