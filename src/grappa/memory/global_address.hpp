#pragma once

// GlobalAddress<T>: 64 bits that name an object anywhere in the system.
//
//   GlobalAddress<int64_t> a = global_alloc<int64_t>(n);
//   delegate::write(a + 17, 42);
//   auto mine = GlobalAddress<int>::of_local(&counter);   // an object of this core
//
// Three forms, told apart by the top bits:
//   0 0 …             linear: byte offset in the block-cyclic global heap. Consecutive elements
//                     lie in blocks that go round all cores.
//   0 1 core offset   placed: 16 bits of core, 46 bits of offset in the memory of its locale.
//   1 core pointer    2D: 16 bits of core, 47 bits of a pointer that means something at that core
//                     (15 and 48 bits on aarch64, where user addresses are that long).
//
// Arithmetic is in elements, and no element ever lies across two homes: on the heap an element
// takes its size rounded up to a power of two, and the block of a type has at least one element.
// Placed and 2D addresses count through a plain array at one core. The null address is all zeros:
// pointer() refuses it, and a delegate to it ends the process with a message. Debug builds refuse
// all addresses of the heap that are not allocated.
//
// A linear address is bound to its element type: a type whose block is larger than the heap's has
// other homes for the same offset. Thread and task safety: a value; may be copied, sent, stored
// anywhere.

#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <source_location>
#include <type_traits>

#include "grappa/memory/live_handles.hpp"
#include "grappa/memory/locale_memory.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa {

namespace internal {

/// The part of an address that its home core resolves: an offset in its locale's global memory, or,
/// with the top bit set, a pointer.
struct LocalReference {
  std::uint64_t bits;
  static constexpr std::uint64_t kPointerBit = std::uint64_t{1} << 63;

  std::byte* resolve(const Core& core) const {
    const auto is_offset = static_cast<std::uint64_t>(~static_cast<std::int64_t>(bits) >> 63);
    return reinterpret_cast<std::byte*>(
        (bits & ~kPointerBit) + (reinterpret_cast<std::uint64_t>(core.memory_base) & is_offset));
  }
};

/// A LocalReference that is known to be an offset.
struct LocalOffset {
  std::uint64_t offset;
  std::byte* resolve(const Core& core) const { return core.memory_base + offset; }
};

/// Bits of a user-space pointer; a 2D address has the tag and the core above them.
#if defined(__aarch64__)
inline constexpr int kPointerBits = 48;
#else
inline constexpr int kPointerBits = 47;
#endif
inline constexpr int kOffsetBits = 46;  // of a placed address

[[noreturn]] void throw_not_local(std::uint64_t raw, int home);
[[noreturn]] void throw_no_such_core(int core, const std::source_location* where = nullptr);
[[noreturn]] void throw_core_too_large(int core);
[[noreturn]] void throw_pointer_too_large(const volatile void* pointer);
/// Throws UsageError unless all of the elements from `first` to `last`, linear addresses, are of
/// one allocation; debug builds know. `shift`: log2 of the smallest block of their type.
void require_allocated(std::uint64_t first, std::uint64_t last, int shift);
std::ostream& print_address(std::ostream& out, std::uint64_t raw, std::size_t element_bytes);
}  // namespace internal

/// The address of a T at its home core; a value of 8 bytes.
template <class T>
class GlobalAddress {
  static_assert(!std::is_reference_v<T>,
                "grappa: global memory holds objects and not references: T must not be one.");

 public:
  using element_type = T;

  constexpr GlobalAddress() = default;
  constexpr GlobalAddress(std::nullptr_t) {}

  /// The 2D address of an object of this core.
  static GlobalAddress of_local(T* pointer) { return at(internal::here().id, pointer); }

  /// The 2D address of an object that `core` knows as `pointer`. Throws UsageError for a core that
  /// the run does not have.
  static GlobalAddress at(int core, T* pointer) {
    if (core < 0 || core > kMaxCore) internal::throw_core_too_large(core);
    if (internal::inside_runtime() && core >= internal::here().locale.core_count())
      internal::throw_no_such_core(core);
    const auto bits = reinterpret_cast<std::uint64_t>(pointer);
    if (bits > kPointerMask) [[unlikely]]
      internal::throw_pointer_too_large(pointer);
    return from_raw(kTwoD | static_cast<std::uint64_t>(core) << kPointerBits | bits);
  }

  /// The placed address of `offset` in the global memory of the locale of `core`.
  static GlobalAddress placed(int core, std::uint64_t offset) {
    // The masks tell the compiler what place() will find.
    return from_raw(kPlaced |
                    static_cast<std::uint64_t>(static_cast<std::uint16_t>(core)) << kOffsetBits |
                    (offset & kOffsetMask));
  }

  /// The linear address of a byte offset in the global heap.
  static GlobalAddress linear(std::uint64_t offset) { return from_raw(offset); }

  static constexpr GlobalAddress from_raw(std::uint64_t raw) {
    GlobalAddress a;
    a.raw_ = raw;
    return a;
  }
  constexpr std::uint64_t raw() const { return raw_; }

  constexpr explicit operator bool() const { return raw_ != 0; }
  constexpr bool is_linear() const { return raw_ >> 62 == 0; }
  constexpr bool is_2d() const { return raw_ >> 63 != 0; }

  /// The home core and what it resolves.
  struct Place {
    int core;
    internal::LocalReference local;
  };
  [[gnu::always_inline]] Place place() const {
    if (is_linear()) {
      const internal::LocaleMemory& memory = *internal::here().locale.memory;
      const int shift = kShift > memory.block_shift() ? kShift : memory.block_shift();
      const auto [core, offset] = memory.locate_linear(raw_, shift);
      return {core, {offset}};
    }
    if (is_2d()) {
      return {static_cast<int>(raw_ >> kPointerBits & kMaxCore),
              {internal::LocalReference::kPointerBit | (raw_ & kPointerMask)}};
    }
    return {static_cast<int>(raw_ >> kOffsetBits & 0xffff), {raw_ & kOffsetMask}};
  }

  /// The core that owns the object.
  int core() const { return place().core; }
  /// Whether this core is the home.
  bool is_local() const { return core() == internal::here().id; }

  /// The object itself. Throws UsageError anywhere but at its home core, and for null.
  T* pointer() const {
    const Place p = place();
    if (p.core != internal::here().id || raw_ == 0) internal::throw_not_local(raw_, p.core);
    return reinterpret_cast<T*>(p.local.resolve(internal::here()));
  }

  /// Bytes between consecutive elements.
  constexpr std::uint64_t stride() const { return is_linear() ? kLinearStride : sizeof(T); }

  constexpr GlobalAddress& operator+=(std::int64_t n) {
    raw_ += static_cast<std::uint64_t>(n) * stride();
    return *this;
  }
  constexpr GlobalAddress& operator-=(std::int64_t n) { return *this += -n; }
  constexpr GlobalAddress& operator++() { return *this += 1; }
  constexpr GlobalAddress& operator--() { return *this -= 1; }
  constexpr GlobalAddress operator++(int) {
    const GlobalAddress old = *this;
    ++*this;
    return old;
  }
  constexpr GlobalAddress operator--(int) {
    const GlobalAddress old = *this;
    --*this;
    return old;
  }
  friend constexpr GlobalAddress operator+(GlobalAddress a, std::int64_t n) { return a += n; }
  friend constexpr GlobalAddress operator+(std::int64_t n, GlobalAddress a) { return a += n; }
  friend constexpr GlobalAddress operator-(GlobalAddress a, std::int64_t n) { return a -= n; }
  /// Elements between two addresses of the same allocation.
  friend constexpr std::int64_t operator-(GlobalAddress a, GlobalAddress b) {
    return static_cast<std::int64_t>(a.raw_ - b.raw_) / static_cast<std::int64_t>(a.stride());
  }
  constexpr GlobalAddress operator[](std::int64_t n) const { return *this + n; }
  /// `&cells[i]` reads as with a plain array, and is the address of element i. The address of a
  /// named GlobalAddress is an ordinary pointer, as ever.
  constexpr GlobalAddress operator&() const&& { return *this; }

  friend constexpr bool operator==(GlobalAddress, GlobalAddress) = default;
  friend constexpr auto operator<=>(GlobalAddress, GlobalAddress) = default;

  friend std::ostream& operator<<(std::ostream& out, GlobalAddress a) {
    return internal::print_address(out, a.raw_, sizeof(T));
  }

  static constexpr std::uint64_t kLinearStride = std::bit_ceil(sizeof(T));
  static constexpr int kShift =
      std::countr_zero(kLinearStride);  // log2 of the smallest block for T

 private:
  static constexpr int kPointerBits = internal::kPointerBits;
  static constexpr int kOffsetBits = internal::kOffsetBits;
  static constexpr int kMaxCore = (1 << (63 - kPointerBits)) - 1;
  static constexpr std::uint64_t kTwoD = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kPlaced = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kPointerMask = (std::uint64_t{1} << kPointerBits) - 1;
  static constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kOffsetBits) - 1;

  std::uint64_t raw_ = 0;
};

namespace internal {

/// The placed address that a container returns for an element. It remembers core and offset, so
/// that an operation on `array[i]` need not take the address apart again. Keep it as a
/// GlobalAddress.
template <class T>
class ElementAddress : public GlobalAddress<T> {
 public:
  struct Place {
    int core;
    LocalOffset local;
  };
  ElementAddress(int core, std::uint64_t offset)
      : GlobalAddress<T>(GlobalAddress<T>::placed(core, offset)), core_(core), offset_(offset) {}

  Place place() const {
    // The compiler sees that this holds, unless arithmetic has changed the address meanwhile.
    if (GlobalAddress<T>::placed(core_, offset_) == *this) return {core_, {offset_}};
    const auto [core, local] = GlobalAddress<T>::place();
    return {core, {local.bits}};
  }

 private:
  int core_;
  std::uint64_t offset_;
};

/// GlobalAddress<T>, or what derives from it.
template <class A>
concept AnyGlobalAddress = std::derived_from<A, GlobalAddress<typename A::element_type>>;
template <AnyGlobalAddress A>
using ElementOf = typename A::element_type;

/// Where an object is that is about to be used.
template <AnyGlobalAddress A>
[[gnu::always_inline]] inline typename A::Place place_in_use(const A& address) {
  if constexpr (kChecksEveryAccess) {
    if (address.is_linear()) require_allocated(address.raw(), address.raw(), A::kShift);
  }
  return address.place();
}

}  // namespace internal

}  // namespace grappa

template <class T>
struct std::hash<grappa::GlobalAddress<T>> {
  std::size_t operator()(grappa::GlobalAddress<T> a) const noexcept {
    // The low bits of addresses are mostly zero. A multiplication carries bits upwards only, so
    // the upper half is folded into the lower one afterwards.
    const std::uint64_t h = (a.raw() ^ a.raw() >> 32) * 0x9E3779B97F4A7C15ull;
    return h ^ h >> 32;
  }
};
