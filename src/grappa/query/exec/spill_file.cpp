#include "grappa/query/exec/spill_file.hpp"

#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::query {

SpillFile::SpillFile(std::string folder)
    : file_(std::move(folder), "name another folder, or allow more memory") {}

std::int64_t SpillFile::append(std::initializer_list<std::span<const std::byte>> parts) {
  std::size_t bytes = 0;
  for (const std::span<const std::byte> part : parts) bytes += part.size();
  const std::int64_t begin = end_.fetch_add(static_cast<std::int64_t>(bytes));
  std::int64_t place = begin;
  for (const std::span<const std::byte> part : parts) {
    file_.write(part, place);
    place += static_cast<std::int64_t>(part.size());
  }
  return begin;
}

void SpillFile::read(std::int64_t place, std::span<std::byte> to) const {
  if (file_.read(to, place) < to.size()) throw Error("a temporary file has become shorter");
}

}  // namespace grappa::query
