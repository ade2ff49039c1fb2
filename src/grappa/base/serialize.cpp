#include "grappa/base/serialize.hpp"

#include "grappa/base/error.hpp"

namespace grappa {

void ByteReader::expect_end() const {
  if (!bytes_.empty()) throw Error("a message is too long");
}

void internal::MemoryWriter::refuse() noexcept {
  fatal("a value was changed by another task while it was being sent");
}

void ByteReader::refuse() { throw Error("a message ends too early"); }

}  // namespace grappa
