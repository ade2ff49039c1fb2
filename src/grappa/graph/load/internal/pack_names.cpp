#include "grappa/graph/load/internal/pack_names.hpp"

#include <utility>

#include "grappa/base/serialize.hpp"

namespace grappa::graph {
std::vector<std::byte> pack_names(const VertexNames& names, std::int64_t begin, std::int64_t end) {
  NameCollector packed;
  for (std::int64_t i = begin; i < end; ++i) packed.add(names, i);
  return to_bytes(packed);
}

VertexNames unpack_names(std::span<const std::byte> bytes) {
  return from_bytes<NameCollector>(bytes).take();
}

std::strong_ordering compare_names(const VertexNames& a, std::int64_t i, const VertexNames& b,
                                   std::int64_t j) {
  const auto in_a = static_cast<VertexId>(i);
  const auto in_b = static_cast<VertexId>(j);
  if (a.is_integer()) return a.integer(in_a) <=> b.integer(in_b);
  return a.text(in_a) <=> b.text(in_b);
}

void NameCollector::add(const VertexNames& names, std::int64_t i) {
  const auto id = static_cast<VertexId>(i);
  strings_ = !names.is_integer();
  if (strings_) {
    bytes_ += names.text(id);
    offsets_.push_back(bytes_.size());
  } else {
    integers_.push_back(names.integer(id));
  }
}

std::int64_t NameCollector::size() const {
  return static_cast<std::int64_t>(strings_ ? offsets_.size() - 1 : integers_.size());
}

VertexNames NameCollector::take() {
  return strings_ ? VertexNames::strings(std::move(bytes_), std::move(offsets_))
                  : VertexNames::integers(std::move(integers_));
}

}  // namespace grappa::graph
