#pragma once

// What is wrong with files that all locales read together, to be said by all of them.
//
//   Failures mine;
//   try {
//     load_my_part();
//   } catch (const InputError& error) {
//     mine.push_back(failure_of(error, order));
//   }
//   throw_first(all_gather(exchange, mine));        // the same error everywhere

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::query {

/// An error; or that a locale was cancelled, and has nothing.
struct Failure {
  std::uint64_t order = 0;  // the least is said
  std::string file{};
  std::int64_t line = 0;
  std::string message{};
  bool is_cancelled = false;

  static constexpr auto kMembers = std::tuple(&Failure::order, &Failure::file, &Failure::line,
                                              &Failure::message, &Failure::is_cancelled);
};
using Failures = std::vector<Failure>;

Failure failure_of(const InputError& error, std::uint64_t order);

/// The first of all as an InputError, or Cancelled; nothing where there is none.
void throw_first(const std::vector<Failures>& of_locales);

}  // namespace grappa::query
