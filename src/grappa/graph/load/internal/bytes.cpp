#include "grappa/graph/load/internal/bytes.hpp"

#include <cstring>

#include "grappa/base/error.hpp"

namespace grappa::graph {

void ByteWriter::append(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void ByteReader::take(std::span<std::byte> to) {
  if (to.size() > bytes_.size()) refuse();
  if (!to.empty()) std::memcpy(to.data(), bytes_.data(), to.size());
  bytes_ = bytes_.subspan(to.size());
}

void ByteReader::expect_end() const {
  if (!bytes_.empty()) throw Error("a message is too long");
}

void ByteReader::refuse() { throw Error("a message ends too early"); }

}  // namespace grappa::graph
