#pragma once

// Sorts a GlobalArray.
//
//   sort(keys);                          // ascending
//   sort(keys, std::greater<>{});
//
// Sample sort (W. Frazer, A. McKellar, "Samplesort", JACM 1970): some elements of every core choose
// the bounds between the parts, each element travels once, to the core of its part, and the parts
// are sorted there, numbers by their digits (internal/local_sort.hpp). Bounds are places
// as well as values, so equal elements are divided evenly, too. Not stable.
//
// Called by one task; switches tasks. The array has the block distribution (UsageError otherwise).
// Needs memory for twice the elements besides the array; for three times where almost all numbers
// agree in their highest digits.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/container/array_spans.hpp"
#include "grappa/container/internal/lazy_array.hpp"
#include "grappa/container/internal/local_sort.hpp"
#include "grappa/container/key_traits.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa {

namespace internal {

[[noreturn]] void refuse_sort(const CallSite& where);

/// An element and where it was: no two are equal.
template <class T>
struct Placed {
  T value;
  std::int64_t index;
};

/// Sorts an array; its parts are in `parts` meanwhile.
template <class T, class Less>
class SampleSort {
 public:
  using Parts = SymmetricAddress<LazyArray<T>*>;

  static void sort(GlobalArray<T> array, Less less, const CallSite& where) {
    constexpr std::uint64_t kCopies = kSortsByDigits<T, Less> ? 2 : 1;
    require_on_locale(kCopies * static_cast<std::uint64_t>(array.size()) * sizeof(T) /
                          static_cast<std::uint64_t>(locale_count()),
                      "sort");
    Parts parts = symmetric_alloc<LazyArray<T>*>();
    struct Release {
      Parts parts;
      ~Release() {
        on_all_cores([parts = parts] { delete parts.local(); });
        symmetric_free(parts);
      }
    } const release{parts};
    const std::vector<Placed<T>> bounds = choose_bounds(array, less);
    on_all_cores(
        [array, parts] {
          parts.local() = new LazyArray<T>(static_cast<std::size_t>(array.size()));
        },
        where);
    const auto shared =
        GlobalArray<Placed<T>>::create_for_overwrite(std::max<std::int64_t>(1, std::ssize(bounds)));
    const Owned<GlobalArray<Placed<T>>> owned = shared;
    write_span(shared, 0, std::span<const Placed<T>>(bounds));
    on_all_cores([array, parts, shared, count = bounds.size(), less] {
      std::vector<Placed<T>> mine(count);
      read_span(shared, 0, std::span<Placed<T>>(mine));
      divide(array, parts, mine, less);
    });
    on_all_cores([array, parts, less] {
      LazyArray<T>& part = *parts.local();
      const std::span<T> values(part.data(), part.size());
      const auto first = exclusive_scan(std::ssize(values), std::plus<>{}, std::ptrdiff_t{0});
      if constexpr (kSortsByDigits<T, Less>) {
        LazyArray<T> sorted(values.size());
        const std::span<const T> all[] = {values};
        sort_parts_by_digits<T>(all, std::span<T>(sorted.data(), values.size()),
                                NumberKey<T, Less>{});
        write_span(array, first, std::span<const T>(sorted.data(), values.size()));
      } else {
        std::sort(values.begin(), values.end(), less);
        write_span(array, first, std::span<const T>(values));
      }
    });
  }

  /// Between the parts of consecutive cores.
  static std::vector<Placed<T>> choose_bounds(GlobalArray<T> array, Less less) {
    auto samples = gather_cores([array] {
      std::vector<Placed<T>> some;
      const std::int64_t size = array.local_size();
      const std::int64_t count = std::min(size, kSamples);
      for (std::int64_t k = 0; k < count; ++k) {
        // One of each of `count` pieces, not always at the same place of it.
        const std::int64_t begin = size * k / count;
        const std::int64_t length = size * (k + 1) / count - begin;
        const std::int64_t at =
            begin + static_cast<std::int64_t>(hash_number(static_cast<std::uint64_t>(k)) %
                                              static_cast<std::uint64_t>(length));
        some.push_back({array.local()[static_cast<std::size_t>(at)], array.global_index(at)});
      }
      return some;
    });
    std::vector<Placed<T>> all;
    for (const auto& some : samples) all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end(),
              [&](const Placed<T>& a, const Placed<T>& b) { return before(a, b, less); });
    std::vector<Placed<T>> bounds;
    for (int core = 1; core < core_count(); ++core)
      bounds.push_back(all[all.size() * static_cast<std::size_t>(core) /
                           static_cast<std::size_t>(core_count())]);
    return bounds;
  }

 private:
  static constexpr std::int64_t kSamples = 256;  // of a core

  static bool before(const Placed<T>& a, const Placed<T>& b, const Less& less) {
    if (less(a.value, b.value)) return true;
    return !less(b.value, a.value) && a.index < b.index;
  }

  /// Sends each element of this core to the part that it belongs to.
  static void divide(GlobalArray<T> array, Parts parts, const std::vector<Placed<T>>& bounds,
                     Less less) {
    const std::size_t most = here().messages->largest_message() / 2 / sizeof(T) + 1;
    std::vector<std::vector<T>> open(bounds.size() + 1);
    const auto send = [&](std::size_t core) {
      send_span_joining(
          enclosing_scope(), static_cast<int>(core), std::span<const T>(open[core]),
          [parts](std::span<const T> some, std::size_t) { parts.local()->append(some); });
      open[core].clear();
    };
    const std::span<const T> mine = array.local();
    const std::int64_t first = array.global_index(0);
    for (std::size_t k = 0; k < mine.size(); ++k) {
      const Placed<T> element{mine[k], first + static_cast<std::int64_t>(k)};
      // How many bounds are not after it, without a branch that nothing could predict.
      std::size_t core = 0;
      for (std::size_t left = bounds.size(); left > 0;) {
        const std::size_t half = (left + 1) / 2;
        core += before(element, bounds[core + half - 1], less) ? 0 : half;
        left -= half;
      }
      open[core].push_back(element.value);
      if (open[core].size() == most) send(core);
    }
    for (std::size_t core = 0; core < open.size(); ++core) {
      if (!open[core].empty()) send(core);
    }
  }
};

}  // namespace internal

/// Sorts the elements by `less`.
template <class T, class Less = std::less<>>
void sort(GlobalArray<T> array, Less less = {},
          internal::CallSite where = internal::CallSite::current()) {
  static_assert(
      std::is_invocable_r_v<bool, Less&, const T&, const T&>,
      "grappa: elements are sorted by [](const T& a, const T& b) { return a < b; }, or by "
      "something of that kind.");
  internal::require_closure<Less>();
  array.require_live("sort", &where);
  if (array.distribution() != Distribution::kBlock) internal::refuse_sort(where);
  if (array.size() > 1) internal::SampleSort<T, Less>::sort(array, less, where);
}

}  // namespace grappa
