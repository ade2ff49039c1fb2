#pragma once

// FullEmptyPointer<T>, FullEmptyAddress<T>: full/empty words of exactly 8 bytes, for pointers.
//
//   struct Node {
//     int64_t key;
//     FullEmptyPointer<Node> next;                               // empty: not known yet
//   };
//   Node node, other;
//   node.next.write_ef(&other);
//   Node* n = node.next.read_ff();                               // waits until it is known
//
//   FullEmptyAddress<Node> head;                                 // holds a GlobalAddress<Node>
//
// The operations, their order and their errors are those of FullEmpty (full_empty.hpp), and of
// delegate/remote_full_empty.hpp for words of other cores; both are a FullEmpty of an
// AlignedAddress, which converts to and from the T* or GlobalAddress<T> that it is.
//
// Objects whose alignment is 4 or more leave the lowest two bits of their addresses zero. The word
// has its state there (paper hotpar11, section 3.3): whether it is full, and whether somebody
// waits. While somebody does, the word points to the queue, and the last waiter keeps the value of
// a full word.
//
// A FullEmptyPointer keeps its owner's number above the 48 bits of the pointer, and is checked like
// any full/empty word. A GlobalAddress leaves no room for it: a FullEmptyAddress that is full and
// not waited for is taken to belong to the core that uses it, in every other state it is checked.
//
// Errors: T with a smaller alignment does not compile (T may be incomplete where the word is
// declared). UsageError for an address whose lowest two bits are not zero, or for a pointer that
// has more than 48 bits.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "grappa/memory/global_address.hpp"
#include "grappa/sync/full_empty.hpp"
#include "grappa/sync/wait_queue.hpp"

namespace grappa {

namespace internal {

inline constexpr std::uint64_t kStateBits = 3;
inline constexpr int kOwnerShift = 48;

[[noreturn]] void refuse_address(std::uint64_t bits);

/// Whether addresses of T have bits to spare. A function, so that T may be incomplete until then.
template <class T>
constexpr bool has_spare_bits() {
  if constexpr (std::is_object_v<T>) {
    return alignof(T) > kStateBits;
  } else {
    return false;
  }
}

/// `bits`, all of which must be among `allowed`.
template <class T>
std::uint64_t checked_address(std::uint64_t bits, std::uint64_t allowed) {
  static_assert(has_spare_bits<T>(),
                "grappa: a full/empty word of 8 bytes keeps its state in the lowest two bits of an "
                "address, which are in use for this type: its alignment is less than 4. Give the "
                "type alignas(8), or use FullEmpty<T*>, which takes 16 bytes.");
  if ((bits & ~allowed) != 0) [[unlikely]]
    refuse_address(bits);
  return bits;
}

/// A T* or a GlobalAddress<T> whose lowest two bits are zero.
template <class Address>
class AlignedAddress;

template <class T>
class AlignedAddress<T*> {
 public:
  constexpr AlignedAddress() = default;
  constexpr AlignedAddress(std::nullptr_t) {}
  AlignedAddress(T* pointer) : pointer_(pointer) { internal::checked_address<T>(bits(), kBits); }

  operator T*() const { return pointer_; }
  T* operator->() const { return pointer_; }

  // ---- for the word

  static constexpr std::uint64_t kBits =
      ((std::uint64_t{1} << internal::kOwnerShift) - 1) & ~internal::kStateBits;
  std::uint64_t bits() const { return reinterpret_cast<std::uint64_t>(pointer_); }
  static AlignedAddress from_bits(std::uint64_t bits) {
    AlignedAddress address;
    address.pointer_ = reinterpret_cast<T*>(bits);
    return address;
  }

 private:
  T* pointer_ = nullptr;
};

template <class T>
class AlignedAddress<GlobalAddress<T>> : public GlobalAddress<T> {
 public:
  constexpr AlignedAddress() = default;
  constexpr AlignedAddress(std::nullptr_t) {}
  AlignedAddress(GlobalAddress<T> address) : GlobalAddress<T>(address) {
    internal::checked_address<T>(bits(), kBits);
  }

  // ---- for the word

  static constexpr std::uint64_t kBits = ~internal::kStateBits;
  std::uint64_t bits() const { return this->raw(); }
  static AlignedAddress from_bits(std::uint64_t bits) {
    AlignedAddress address;
    static_cast<GlobalAddress<T>&>(address) = GlobalAddress<T>::from_raw(bits);
    return address;
  }
};

/// The value, the state and the queue of a FullEmpty in one word:
///
///   nobody waits     the value, or zeros; above it the owner, where there is room
///   somebody waits   the last waiter, who keeps the value if there is one; above it the owner
///
/// `Value` is an AlignedAddress.
template <class Value>
class ValueWithState {
 public:
  ValueWithState() : word_(owner_bits(maker())) {}
  explicit ValueWithState(Value value) : ValueWithState() { hold(value.bits()); }
  ~ValueWithState() {
    if (waited_for()) destroyed_while_waited_for();
  }
  ValueWithState(const ValueWithState&) = delete;
  ValueWithState& operator=(const ValueWithState&) = delete;

  bool full() const { return (word_ & kFull) != 0; }
  void set_empty() { word_ = waited_for() ? word_ & ~kFull : owner_bits(owner()); }

  template <class Access>
  void apply(Access& access) {
    Value value = full() ? Value::from_bits(value_bits()) : Value{};
    access(value);
    if constexpr (Access::kLeavesFull) {
      hold(value.bits());
    } else {
      set_empty();
    }
  }

  bool waited_for() const { return (word_ & kWaitedFor) != 0; }

  void push(Waiter& waiter) {
    if (full()) waiter.kept = value_bits();
    const std::uint64_t above = owner_bits(owner());
    WaiterRing ring{last()};
    ring.push(waiter);
    word_ = above | reinterpret_cast<std::uint64_t>(ring.last) | kWaitedFor | (word_ & kFull);
  }

  Waiter& pop() {
    WaiterRing ring{last()};
    Waiter& first = ring.pop();
    const std::uint64_t above = owner_bits(owner());
    if (ring.last != nullptr) {
      word_ = above | reinterpret_cast<std::uint64_t>(ring.last) | (word_ & kStateBits);
    } else {
      const bool was_full = full();
      word_ = above;
      if (was_full) hold(first.kept);
    }
    return first;
  }

  void require_owner(const char* what) const { internal::require_owner(owner(), what); }

 private:
  static constexpr std::uint64_t kFull = 1;
  static constexpr std::uint64_t kWaitedFor = 2;
  static_assert((kFull | kWaitedFor) == kStateBits && alignof(Waiter) > kStateBits);
  static constexpr std::uint64_t kWaiter = ((std::uint64_t{1} << kOwnerShift) - 1) & ~kStateBits;
  static constexpr bool kAlwaysHasOwner = Value::kBits >> kOwnerShift == 0;

  static std::uint64_t owner_bits(int core) {
    return static_cast<std::uint64_t>(core) << kOwnerShift;
  }
  int owner() const {
    if (!kAlwaysHasOwner && full() && !waited_for()) return maker();
    return static_cast<int>(word_ >> kOwnerShift);
  }

  Waiter* last() const {
    return waited_for() ? reinterpret_cast<Waiter*>(word_ & kWaiter) : nullptr;
  }

  /// Of a full word.
  std::uint64_t value_bits() const { return waited_for() ? last()->kept : word_ & Value::kBits; }

  /// Makes it full.
  void hold(std::uint64_t value) {
    if (waited_for()) {
      last()->kept = value;
      word_ |= kFull;
    } else {
      word_ = (word_ & ~(Value::kBits | kStateBits)) | value | kFull;
    }
  }

  std::uint64_t word_;
};

template <class Address>
struct FullEmptyStorage<AlignedAddress<Address>> {
  using type = ValueWithState<AlignedAddress<Address>>;
};

}  // namespace internal

/// A full/empty word of 8 bytes that holds a T*.
template <class T>
using FullEmptyPointer = FullEmpty<internal::AlignedAddress<T*>>;

/// A full/empty word of 8 bytes that holds a GlobalAddress<T>.
template <class T>
using FullEmptyAddress = FullEmpty<internal::AlignedAddress<GlobalAddress<T>>>;

}  // namespace grappa
