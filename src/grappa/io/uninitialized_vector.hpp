#pragma once

// A std::vector whose resize() leaves new elements uninitialized.
//
//   UninitializedVector<double> values(1'000'000'000);   // address space; pages come when written
//   parallel(n, [&](int64_t i) { values[i] = 0; });   // first touched by the core that fills it
//
// For large arrays of trivial types that are filled in parallel: zeroing them first would cost a
// serial pass over memory, and would put every page next to the core that made the vector. Large
// ones ask for huge pages. Elements that were never written must not be read.

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace grappa::io {

namespace detail {

inline constexpr std::size_t kLargeAllocation = std::size_t{8} << 20;  // bytes

/// Memory of at least kLargeAllocation bytes, aligned to and advised for huge pages.
void* allocate_large(std::size_t bytes);
void deallocate_large(void* memory, std::size_t bytes) noexcept;

}  // namespace detail

template <class T>
struct UninitializedAllocator {
  using value_type = T;
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    if (n * sizeof(T) >= detail::kLargeAllocation) {
      return static_cast<T*>(detail::allocate_large(n * sizeof(T)));
    }
    return std::allocator<T>().allocate(n);
  }

  void deallocate(T* memory, std::size_t n) noexcept {
    if (n * sizeof(T) >= detail::kLargeAllocation)
      return detail::deallocate_large(memory, n * sizeof(T));
    std::allocator<T>().deallocate(memory, n);
  }

  template <class U>
  void construct(U* element) noexcept {
    ::new (static_cast<void*>(element)) U;
  }
  template <class U, class... Args>
  void construct(U* element, Args&&... args) {
    ::new (static_cast<void*>(element)) U(std::forward<Args>(args)...);
  }

  template <class U>
  bool operator==(const UninitializedAllocator<U>&) const noexcept {
    return true;
  }
};

template <class T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace grappa::io
