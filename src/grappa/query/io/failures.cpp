#include "grappa/query/io/failures.hpp"

#include <fmt/format.h>

#include <utility>

namespace grappa::query {

Failure failure_of(const InputError& error, std::uint64_t order) {
  std::string message = error.what();
  // Its text begins with the file and the line.
  std::string place = error.file() + ":";
  if (error.line() != 0) place += fmt::format("{}:", error.line());
  place += ' ';
  if (message.starts_with(place)) message.erase(0, place.size());
  return {order, error.file(), error.line(), message};
}

void throw_first(const std::vector<Failures>& of_locales) {
  const Failure* first = nullptr;
  for (const Failures& failures : of_locales) {
    for (const Failure& failure : failures) {
      if (failure.is_cancelled) throw Cancelled();
      if (first == nullptr || failure.order < first->order) first = &failure;
    }
  }
  if (first != nullptr) throw InputError(first->file, first->line, first->message);
}

}  // namespace grappa::query
