#pragma once

// What every locale knows, told to every other in ceil(log2 locales) steps: in each, a locale sends
// all it knows to the one 1, 2, 4 … after it (D. Hensgen, R. Finkel, U. Manber, "Two algorithms for
// barrier synchronization", 1988, section 4: dissemination). Where their number is no power of two,
// some hear the same twice.

#include "grappa/graph/exec/locales.hpp"

namespace grappa::graph {

/// send(locale) and then take(locale) run on every locale, in each step. Called by one task;
/// switches tasks.
template <class Send, class Take>
void disseminate(Send send, Take take) {
  for (int distance = 1; distance < locale_count(); distance *= 2) {
    on_all_locales([send, distance] { send((this_locale() + distance) % locale_count()); });
    on_all_locales(
        [take, distance] { take((this_locale() + locale_count() - distance) % locale_count()); });
  }
}

}  // namespace grappa::graph
