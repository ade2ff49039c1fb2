#pragma once

// What the kernels need to run on one locale as fast as shared memory allows, and on several.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::graph {

/// Set in words that carry vertices between locales, so that no pair of them looks like an address
/// to the scan of payloads.
inline constexpr std::uint64_t kVertexTag = std::uint64_t{1} << 63;

/// The vertex in such a word.
inline VertexId untagged(std::uint64_t word) { return static_cast<VertexId>(word & ~kVertexTag); }

/// The calling core, counted from the first of its locale.
inline std::size_t core_in_locale() {
  return static_cast<std::size_t>(this_core() - first_core_of(this_locale()));
}

/// Runs f() once on every locale and waits for all that it causes. On one locale it just calls f().
template <class F>
void on_each_locale(F f) {
  if (locale_count() == 1) {
    f();
  } else {
    on_all_locales(f);
  }
}

/// The same; returns the results of f(), by locale.
template <class F>
auto gather_locales(F f) -> std::vector<std::invoke_result_t<F&>> {
  using T = std::invoke_result_t<F&>;
  if (locale_count() == 1) return {f()};
  std::vector<T> values(static_cast<std::size_t>(locale_count()));
  const auto base = GlobalAddress<T>::of_local(values.data());
  on_all_locales([f, base]() mutable { delegate::async::write(base + this_locale(), f()); });
  return values;
}

/// The results combined in the order of the locales, by default their sum.
template <class F, class Combine = std::plus<>>
auto reduce_locales(F f, Combine combine = {}) {
  const auto values = gather_locales(f);
  return std::accumulate(values.begin() + 1, values.end(), values.front(), combine);
}

/// What every locale knows, told to every other in ceil(log2 locales) steps: in each, a locale
/// sends all it knows to the one 1, 2, 4 … after it (D. Hensgen, R. Finkel, U. Manber, "Two
/// algorithms for barrier synchronization", 1988, section 4: dissemination). Where their number is
/// no power of two, some hear the same twice. send(locale) and then take(locale) run on every
/// locale, in each step.
template <class Send, class Take>
void disseminate(Send send, Take take) {
  for (int distance = 1; distance < locale_count(); distance *= 2) {
    on_all_locales([send, distance] { send((this_locale() + distance) % locale_count()); });
    on_all_locales(
        [take, distance] { take((this_locale() + locale_count() - distance) % locale_count()); });
  }
}

/// Runs f(first, last) for ranges that cover [0, n), by all cores of the locale if that is more
/// than a grain.
template <class F>
void over_grains(std::int64_t n, std::int64_t grain, F f) {
  if (n <= grain) {
    f(0, n);
  } else {
    forall_range_here(0, n, {.grain = grain}, f);
  }
}

/// Runs f(first, last) for ranges that cover the vertices, at their locale, by all of its cores.
/// Throws Cancelled if that is asked for before one of the ranges.
template <class F>
void forall_vertices(const Graph& graph, F f) {
  on_each_locale([graph, f] {
    forall_range_here(graph.locale_begin(), graph.locale_end(),
                      [f](std::int64_t first, std::int64_t last) {
                        stop_if_cancelled();
                        f(first, last);
                      });
  });
}

}  // namespace grappa::graph
