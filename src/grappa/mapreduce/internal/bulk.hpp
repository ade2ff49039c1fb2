#pragma once

// Bulk<T>: a vector for many values. Where T is trivial it asks for huge pages, and resize() leaves
// new elements as they are, for whoever fills them in parallel.

#include <type_traits>
#include <vector>

#include "grappa/io/uninitialized_vector.hpp"

namespace grappa::mapreduce::detail {

template <class T>
inline constexpr bool kIsTrivial =
    std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>;

template <class T>
struct BulkOf {
  using Type = std::vector<T>;
};
template <class T>
  requires kIsTrivial<T>
struct BulkOf<T> {
  using Type = io::UninitializedVector<T>;
};

template <class T>
using Bulk = typename BulkOf<T>::Type;

}  // namespace grappa::mapreduce::detail
