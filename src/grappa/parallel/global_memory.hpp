#pragma once

// Allocation of global memory: the block-cyclic heap, symmetric memory, and memory of a locale.
//
//   GlobalAddress<Cell> cells = global_alloc<Cell>(n);   // T{} is constructed at each home core
//   global_free(cells);                                  // destroyed there; its memory is reused
//
//   auto counter = symmetric_alloc<int64_t>();           // one on every core
//   counter.local() += 1;                                // this core's
//
// All of these are called by one task, from any core, and switch tasks. Errors: UsageError when the
// machine does not have that much memory, or for an address that is not allocated; they come as
// RemoteError from core 0, which keeps the allocators. global_address.hpp says how elements of the
// heap are padded.

#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>

#include "grappa/memory/global_address.hpp"
#include "grappa/memory/locale_memory.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa {

namespace internal {

/// Reserves `bytes` of the arena at the same offset everywhere; returns the offset within the
/// arena.
std::uint64_t allocate_in(Arena arena, std::uint64_t bytes, std::uint64_t alignment,
                          std::int64_t elements);
/// Returns bytes and elements of an allocation without ending it.
OffsetAllocator::Allocation find_in(Arena arena, std::uint64_t offset);
/// Ends an allocation. Its memory is kept for the next one if it is small, or if it is in the arena
/// of locales and not too much is kept already (kept_ranges.hpp); otherwise every locale returns it
/// to the system.
void free_in(Arena arena, std::uint64_t offset);

/// The offset, at every core, of an allocation that begins at this linear address. Throws
/// UsageError for an address at which none can begin.
std::uint64_t heap_offset_of(std::uint64_t raw);

/// Advises every home of the range about pages, before it is touched, and tells all cores of the
/// handle, if there is one.
void prepare_in(Arena arena, std::uint64_t offset, std::uint64_t bytes, HandleId id = {});

/// An id that no core knows yet.
HandleId new_handle();
/// Tells all cores that a handle is live; that it is not any more, which `what` does.
void register_handle(HandleId id);
void retire_handle(HandleId id, const char* what);

/// Bytes of n elements that are divided among `locales`. Throws UsageError when n is negative, or
/// when they are more than addresses can name.
std::uint64_t bytes_of(std::int64_t n, std::uint64_t element_bytes, int locales,
                       const char* purpose, const CallSite& where);

/// Throws UsageError when the locale does not have memory for that many more bytes.
void require_on_locale(std::uint64_t bytes, const char* purpose);

}  // namespace internal

/// n elements, constructed as T{} at their homes, in a block-cyclic layout over all cores.
template <class T>
GlobalAddress<T> global_alloc(std::int64_t n,
                              internal::CallSite where = internal::CallSite::current()) {
  internal::require_object<T>();
  using Address = GlobalAddress<T>;
  const internal::LocaleMemory& memory = *internal::here().locale.memory;
  const int shift = std::max(Address::kShift, memory.block_shift());
  const auto cores = static_cast<std::uint64_t>(internal::here().locale.core_count());
  const std::uint64_t block = std::uint64_t{1} << shift;
  const std::uint64_t bytes = internal::bytes_of(
      n, Address::kLinearStride, internal::here().locale.count, "global_alloc", where);
  const std::uint64_t blocks = (bytes + block - 1) >> shift;
  const std::uint64_t local_bytes = (blocks + cores - 1) / cores * block;
  internal::require_on_locale(
      local_bytes * static_cast<std::uint64_t>(internal::here().locale.cores_each), "global_alloc");
  const std::uint64_t offset = internal::allocate_in(internal::Arena::kHeap, local_bytes, block, n);
  internal::prepare_in(internal::Arena::kHeap, offset, local_bytes);
  const Address base = Address::linear(offset * cores);
  forall(base, n, [](T& element) { ::new (static_cast<void*>(&element)) T{}; });
  return base;
}

/// Destroys the elements at their homes and frees the memory. `base` is what global_alloc returned.
template <class T>
void global_free(GlobalAddress<T> base) {
  if (!base) return;
  const std::uint64_t offset = internal::heap_offset_of(base.raw());
  if constexpr (!std::is_trivially_destructible_v<T>) {
    forall(base, internal::find_in(internal::Arena::kHeap, offset).elements,
           [](T& element) { element.~T(); });
  }
  internal::free_in(internal::Arena::kHeap, offset);
}

/// An array of T on every core, at the same place. A value: copy and send it freely. Debug builds
/// refuse one that was freed (UsageError).
template <class T>
class SymmetricAddress {
  static_assert(internal::require_object<T>());

 public:
  SymmetricAddress() = default;
  explicit SymmetricAddress(std::uint64_t offset) : offset_(offset) {}

  /// This core's copy. No communication.
  T* pointer() const {
    require_allocated();
    const internal::Core& me = internal::here();
    return reinterpret_cast<T*>(me.memory_base + me.locale.memory->symmetric_offset(me.index) +
                                offset_);
  }
  /// The first element of this core's copy.
  T& local() const { return *pointer(); }
  T* operator->() const { return pointer(); }

  /// The global address of the copy of `core`. Throws UsageError for a core that does not exist.
  GlobalAddress<T> on(int core) const {
    const internal::Locale& locale = internal::here().locale;
    if (core < 0 || core >= locale.core_count()) [[unlikely]]
      internal::throw_no_such_core(core);
    require_allocated();
    return GlobalAddress<T>::placed(
        core, locale.memory->symmetric_offset(core % locale.cores_each) + offset_);
  }

  std::uint64_t offset() const { return offset_; }

 private:
  void require_allocated() const {
    internal::require_range_if_checked(internal::Arena::kSymmetric, offset_,
                                       "a SymmetricAddress was used that no symmetric_alloc() has "
                                       "returned, or that was freed");
  }

  std::uint64_t offset_ = 0;
};

/// `count` elements on every core, which constructs its own as T{}; they begin on a cache line.
template <class T>
SymmetricAddress<T> symmetric_alloc(std::int64_t count = 1,
                                    internal::CallSite where = internal::CallSite::current()) {
  const std::uint64_t bytes =
      internal::round_up(internal::bytes_of(count, sizeof(T), 1, "symmetric_alloc", where), 64);
  internal::require_on_locale(
      bytes * static_cast<std::uint64_t>(internal::here().locale.cores_each), "symmetric_alloc");
  const std::uint64_t offset = internal::allocate_in(internal::Arena::kSymmetric, bytes,
                                                     std::max<std::size_t>(64, alignof(T)), count);
  internal::prepare_in(internal::Arena::kSymmetric, offset, bytes);
  const SymmetricAddress<T> address(offset);
  on_all_cores([address, count] {
    for (std::int64_t i = 0; i < count; ++i) ::new (static_cast<void*>(address.pointer() + i)) T{};
  });
  return address;
}

/// Destroys the elements on every core and frees the memory.
template <class T>
void symmetric_free(SymmetricAddress<T> address) {
  if constexpr (!std::is_trivially_destructible_v<T>) {
    const std::int64_t count =
        internal::find_in(internal::Arena::kSymmetric, address.offset()).elements;
    on_all_cores([address, count] {
      for (std::int64_t i = 0; i < count; ++i) (address.pointer() + i)->~T();
    });
  }
  internal::free_in(internal::Arena::kSymmetric, address.offset());
}

}  // namespace grappa
