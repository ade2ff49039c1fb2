#pragma once

// Bulk<T>: a vector for many values. Where T is trivial it asks for huge pages, and resize() leaves
// new elements as they are, for whoever fills them in parallel. UsageError when the machine does
// not have enough memory.

#include <memory>
#include <type_traits>
#include <vector>

#include "grappa/io/uninitialized_vector.hpp"
#include "grappa/memory/checked_allocator.hpp"

namespace grappa::mapreduce::detail {

template <class T>
inline constexpr bool kIsTrivial =
    std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>;

struct OfDataset {
  static constexpr const char* kName = "the values of a Dataset";
};

template <class T>
struct BulkMemory {
  using Allocator = std::allocator<T>;
};
template <class T>
  requires kIsTrivial<T>
struct BulkMemory<T> {
  using Allocator = io::UninitializedAllocator<T>;
};

template <class T>
using Bulk = std::vector<
    T, grappa::internal::CheckedAllocator<T, OfDataset, typename BulkMemory<T>::Allocator>>;

}  // namespace grappa::mapreduce::detail
