#pragma once

// Values of any kind (base/serialize.hpp) between the locale of the caller and all locales, and
// errors with them.
//
//   tell_locales(exchange, std::string("web.txt"));
//   std::vector<std::string> answers = ask_locales(exchange, [exchange] {
//     return told<std::string>(exchange) + " here";        // on every locale; may throw
//   });
//
// Called by one task, of locale 0; switches tasks.

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "grappa/base/serialize.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/load/internal/carried_error.hpp"
#include "grappa/parallel/exchange.hpp"

namespace grappa::graph {

template <class T>
void tell_locales(const Exchange& exchange, const T& value) {
  exchange.broadcast(to_bytes(value));
}

/// What this locale was told.
template <class T>
T told(const Exchange& exchange) {
  return from_bytes<T>(exchange.take<std::byte>(0));
}

/// Runs f() once on every locale, and returns what it returns, by locale. Errors: of those that it
/// throws, the one of the first line, if any is of a line; else that of the first locale.
template <class F>
auto ask_locales(const Exchange& exchange, F f) -> std::vector<Answer<F>> {
  using T = Answer<F>;
  on_all_locales([exchange, f]() mutable { exchange.send(0, to_bytes(outcome_of(f))); });
  std::vector<T> answers;
  std::optional<CarriedError> first;
  for (int locale = 0; locale < locale_count(); ++locale) {
    auto outcome = from_bytes<Outcome<T>>(exchange.take<std::byte>(locale));
    if (const auto* error = std::get_if<1>(&outcome)) {
      const bool is_earlier =
          !first || (error->line() > 0 && (first->line() == 0 || error->line() < first->line()));
      if (is_earlier) first = *error;
    } else {
      answers.push_back(std::get<0>(std::move(outcome)));
    }
  }
  if (first) first->rethrow();
  return answers;
}

}  // namespace grappa::graph
