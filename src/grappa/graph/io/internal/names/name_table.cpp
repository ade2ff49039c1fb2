#include "grappa/graph/io/internal/names/name_table.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace grappa::graph::io {
namespace {

constexpr VertexId kEmpty = kNoVertex;
constexpr std::size_t kFirstSlots = 64;

}  // namespace

NameTable::NameTable() : offsets_{0}, slots_(kFirstSlots, kEmpty) {}

VertexId NameTable::add(std::string_view name) {
  if (2 * size() >= slots_.size()) grow();
  const std::uint64_t hash = std::hash<std::string_view>()(name);
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != kEmpty) {
    const VertexId id = slots_[slot];
    if (hashes_[id] == hash && this->name(id) == name) return id;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  const auto id = static_cast<VertexId>(size());
  slots_[slot] = id;
  hashes_.push_back(hash);
  bytes_.append(name);
  offsets_.push_back(bytes_.size());
  return id;
}

void NameTable::grow() {
  std::vector<VertexId> larger(2 * slots_.size(), kEmpty);
  for (std::size_t id = 0; id < size(); ++id) {
    std::size_t slot = hashes_[id] & (larger.size() - 1);
    while (larger[slot] != kEmpty) slot = (slot + 1) & (larger.size() - 1);
    larger[slot] = static_cast<VertexId>(id);
  }
  slots_ = std::move(larger);
}

VertexNames NameTable::sorted(std::vector<VertexId>& place) const {
  std::vector<VertexId> order(size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [this](VertexId a, VertexId b) { return name(a) < name(b); });
  place.resize(size());
  std::string bytes;
  bytes.reserve(bytes_.size());
  std::vector<std::uint64_t> offsets{0};
  offsets.reserve(size() + 1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<VertexId>(i);
    bytes.append(name(order[i]));
    offsets.push_back(bytes.size());
  }
  return VertexNames::strings(std::move(bytes), std::move(offsets));
}

}  // namespace grappa::graph::io
