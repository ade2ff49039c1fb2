#pragma once

// An allocator for what a container of ours keeps in one of the standard library: where the machine
// does not have the memory, the UsageError says by name what was too big.
//
//   struct InBag {
//     static constexpr const char* kName = "GlobalBag";
//   };
//   std::vector<double, CheckedAllocator<double, InBag>> values;
//
// For the cores of a run.

#include <cstddef>
#include <memory>

#include "grappa/memory/locale_memory.hpp"

namespace grappa::internal {

/// Memory of `Base` for the container that `Owner` names.
template <class T, class Owner, class Base = std::allocator<T>>
struct CheckedAllocator : Base {
  using value_type = T;
  template <class U>
  struct rebind {
    using other =
        CheckedAllocator<U, Owner, typename std::allocator_traits<Base>::template rebind_alloc<U>>;
  };

  CheckedAllocator() = default;
  template <class U, class B>
  CheckedAllocator(const CheckedAllocator<U, Owner, B>&) noexcept {}

  T* allocate(std::size_t n) {
    require_memory(n * sizeof(T), Owner::kName);
    return Base::allocate(n);
  }

  template <class U, class B>
  bool operator==(const CheckedAllocator<U, Owner, B>&) const noexcept {
    return true;
  }
};

}  // namespace grappa::internal
