#pragma once

// Access to values that other cores of the locale may read and write at the same time: labels,
// distances, sums. Memory ordering: relaxed; the end of the loop between them orders one round
// after another.

#include <atomic>
#include <type_traits>

namespace grappa::graph {

/// Reads what other cores may write.
template <class T>
T load_shared(T& shared) {
  return std::atomic_ref(shared).load(std::memory_order_relaxed);
}

/// Atomic add of what may be nothing.
template <class T>
void add_shared(T& shared, std::type_identity_t<T> by) {
  if (by != T{}) std::atomic_ref(shared).fetch_add(by, std::memory_order_relaxed);
}

/// Atomically replaces `shared` by combine(shared, value); true if that changed it. combine is
/// associative and commutative.
template <class T, class Combine>
bool combine_shared(T& shared, T value, Combine combine) {
  std::atomic_ref ref(shared);
  T seen = ref.load(std::memory_order_relaxed);
  for (;;) {
    const T wanted = combine(seen, value);
    if (wanted == seen) return false;
    if (ref.compare_exchange_weak(seen, wanted, std::memory_order_relaxed)) return true;
  }
}

/// Atomic minimum: makes `shared` the smaller of the two; true if that lowered it to `value`.
template <class T>
bool lower_shared(T& shared, T value) {
  std::atomic_ref ref(shared);
  T seen = ref.load(std::memory_order_relaxed);
  while (value < seen) {
    if (ref.compare_exchange_weak(seen, value, std::memory_order_relaxed)) return true;
  }
  return false;
}

/// Subtracts 1 unless `shared` is `least` or below; true if that makes it `least`. Not even for a
/// moment is it less: with many cores at it, it could pass zero.
template <class T>
bool count_down_shared(T& shared, T least) {
  std::atomic_ref ref(shared);
  T seen = ref.load(std::memory_order_relaxed);
  while (seen > least) {
    if (ref.compare_exchange_weak(seen, seen - 1, std::memory_order_relaxed))
      return seen == least + 1;
  }
  return false;
}

/// Compare-and-swap: sets `shared` to `wanted` if it is `expected`; true if this call did.
template <class T>
bool claim_shared(T& shared, T expected, T wanted) {
  return load_shared(shared) == expected && std::atomic_ref(shared).compare_exchange_strong(
                                                expected, wanted, std::memory_order_relaxed);
}

}  // namespace grappa::graph
