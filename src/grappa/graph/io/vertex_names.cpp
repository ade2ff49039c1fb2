#include "grappa/graph/io/vertex_names.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace grappa::graph {

void append_integer(std::string& out, std::uint64_t value) {
  char digits[20];
  const auto result = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, result.ptr);
}

VertexNames VertexNames::range(std::uint64_t first, std::int64_t count) {
  VertexNames names;
  names.first_ = first;
  names.count_ = count;
  return names;
}

VertexNames VertexNames::integers(std::vector<std::uint64_t> ascending) {
  const auto count = static_cast<std::int64_t>(ascending.size());
  if (count == 0) return range(0, 0);
  if (ascending.back() - ascending.front() == ascending.size() - 1) {
    return range(ascending.front(), count);
  }
  VertexNames names;
  names.kind_ = Kind::kTable;
  names.count_ = count;
  names.integers_ = std::move(ascending);
  return names;
}

VertexNames VertexNames::strings(std::string bytes, std::vector<std::uint64_t> offsets) {
  VertexNames names;
  names.kind_ = Kind::kStrings;
  names.count_ = static_cast<std::int64_t>(offsets.size()) - 1;
  names.bytes_ = std::move(bytes);
  names.offsets_ = std::move(offsets);
  return names;
}

std::string VertexNames::name(VertexId id) const {
  std::string out;
  append(out, id);
  return out;
}

void VertexNames::append(std::string& out, VertexId id) const {
  if (kind_ == Kind::kStrings) {
    out.append(text(id));
  } else {
    append_integer(out, integer(id));
  }
}

std::optional<VertexId> VertexNames::find(std::string_view name) const {
  if (kind_ != Kind::kStrings) {
    std::uint64_t value = 0;
    const auto result = std::from_chars(name.data(), name.data() + name.size(), value);
    if (result.ec != std::errc() || result.ptr != name.data() + name.size()) return std::nullopt;
    return find(value);
  }
  std::int64_t low = 0;
  std::int64_t high = count_;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (text(static_cast<VertexId>(middle)) < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == count_ || text(static_cast<VertexId>(low)) != name) return std::nullopt;
  return static_cast<VertexId>(low);
}

std::optional<VertexId> VertexNames::find(std::uint64_t name) const {
  if (kind_ == Kind::kStrings) return find(std::string_view(std::to_string(name)));
  if (kind_ == Kind::kRange) {
    if (name < first_ || name - first_ >= static_cast<std::uint64_t>(count_)) return std::nullopt;
    return static_cast<VertexId>(name - first_);
  }
  const auto found = std::lower_bound(integers_.begin(), integers_.end(), name);
  if (found == integers_.end() || *found != name) return std::nullopt;
  return static_cast<VertexId>(found - integers_.begin());
}

std::size_t VertexNames::memory_bytes() const noexcept {
  return (integers_.size() + offsets_.size()) * sizeof(std::uint64_t) + bytes_.size();
}

}  // namespace grappa::graph
