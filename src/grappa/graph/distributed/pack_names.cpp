#include "grappa/graph/distributed/pack_names.hpp"

#include <string>
#include <utility>

#include "grappa/graph/distributed/bytes.hpp"

namespace grappa::graph {
namespace {

enum class Kind : std::uint8_t { kIntegers, kStrings };

}  // namespace

std::vector<std::byte> pack_names(const VertexNames& names, std::int64_t begin, std::int64_t end) {
  ByteWriter out;
  out.put(names.is_integer() ? Kind::kIntegers : Kind::kStrings);
  out.put(end - begin);
  for (std::int64_t i = begin; i < end; ++i) {
    const auto id = static_cast<VertexId>(i);
    if (names.is_integer()) {
      out.put(names.integer(id));
    } else {
      out.put_text(names.text(id));
    }
  }
  return {out.bytes().begin(), out.bytes().end()};
}

VertexNames unpack_names(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  const Kind kind = in.get<Kind>();
  const auto count = in.get<std::int64_t>();
  if (kind == Kind::kIntegers) {
    std::vector<std::uint64_t> integers(static_cast<std::size_t>(count));
    in.get_span(std::span(integers));
    return VertexNames::integers(std::move(integers));
  }
  std::string text;
  std::vector<std::uint64_t> offsets{0};
  for (std::int64_t i = 0; i < count; ++i) {
    text += in.get_text();
    offsets.push_back(text.size());
  }
  return VertexNames::strings(std::move(text), std::move(offsets));
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
