#pragma once

// Whole-array operations: reductions and prefix sums.
//
//   double total = reduce(ranks, 0.0, std::plus<>{});
//   int64_t edges = exclusive_prefix_sum(degrees);      // each becomes the sum of those before it
//
// Called by one task; the cores work on their own parts; switches tasks. Parts combine in the order
// of the cores, so floating-point results repeat for the same number of cores. Prefix sums need the
// block distribution, and throw UsageError for others. So do all for an array that is not live.

#include <functional>
#include <type_traits>

#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"
#include "grappa/container/global_array.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa {

/// identity op a[0] op a[1] …, in the common type of identity and elements; op is associative, and
/// commutative unless the distribution is Block.
template <class T, class I = T, class Op>
std::common_type_t<T, I> reduce(GlobalArray<T> array, I identity, Op op,
                                internal::CallSite where = internal::CallSite::current()) {
  using Sum = std::common_type_t<T, I>;
  internal::require_operation<Op, Sum>();
  array.require_live("reduce", &where);
  return reduce_cores(
      [=] {
        Sum sum = static_cast<Sum>(identity);
        for (const T& x : array.local()) sum = op(sum, x);
        return sum;
      },
      static_cast<Sum>(identity), op);
}

namespace internal {

/// Replaces each element by the sum of those before it (and itself, if `inclusive`); returns the
/// sum of all.
template <class T, class Op>
T prefix(GlobalArray<T> array, T identity, Op op, bool inclusive, const CallSite& where) {
  array.require_live("a prefix sum", &where);
  if (array.distribution() != Distribution::kBlock) {
    throw UsageError(place_prefix(&where) +
                     "prefix sums need an array with the block distribution");
  }
  const std::vector<T> ends = gather_cores([=] {
    T sum = identity;
    for (const T& x : array.local()) sum = op(sum, x);
    T running = exclusive_scan(sum, op, identity);
    for (T& x : array.local()) {
      const T next = op(running, x);
      x = inclusive ? next : running;
      running = next;
    }
    return running;
  });
  return ends.back();
}

}  // namespace internal

/// a[i] becomes identity op a[0] op … op a[i-1]. Returns the value behind the last one.
template <class T, class Op = std::plus<>>
T exclusive_prefix_sum(GlobalArray<T> array, std::type_identity_t<T> identity = T{}, Op op = {},
                       internal::CallSite where = internal::CallSite::current()) {
  return internal::prefix<T>(array, identity, op, false, where);
}

/// a[i] becomes identity op a[0] op … op a[i]. Returns the last value.
template <class T, class Op = std::plus<>>
T inclusive_prefix_sum(GlobalArray<T> array, std::type_identity_t<T> identity = T{}, Op op = {},
                       internal::CallSite where = internal::CallSite::current()) {
  return internal::prefix<T>(array, identity, op, true, where);
}

}  // namespace grappa
