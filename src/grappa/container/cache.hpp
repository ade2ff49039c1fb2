#pragma once

// Caches: a local copy of a range of global memory, for as long as its scope lasts.
//
//   {
//     const CacheRO<double> row(matrix, 5 * n, n);      // elements [5 n, 6 n) of an array
//     CacheRW<double> sums(totals, 3, 10);              // acquired: by many messages and one wait
//     for (const double x : row.span()) sums[0] += x;   // plain memory in between
//   }                                                   // what may be written is written back
//
//   auto next = CacheRO<double>::start(cells + 40, 100);   // from an address on; does not wait
//   use(local_count());
//   next.wait();
//   use(next[99]);
//
// The explicit caches of Grappa ("Scaling irregular applications", section 2.3; Cache<T> and
// Incoherent<T> of the original). CacheRO reads; CacheRW reads and writes back; CacheWO only
// writes, so nothing is fetched, and all its elements must be written (they have no value at
// first). Cached<T> is one object, Cached<const T> one that is only read. A range that lies side by
// side at this core is not copied: data() points to the elements themselves.
//
// Nothing keeps copies coherent: a cache shows what was there when it was acquired, and others see
// what it writes when its release has finished. So no two may write one element at a time, and who
// reads must have waited for the release of who wrote.
//
// A cache belongs to the task that made it, and stays on its core; moved, never copied. All but
// access switch tasks. T: trivially copyable, aligned to at most 8 bytes. UsageError for elements
// that are not there, and for a buffer that is too short. Debug builds ask the homes at each
// acquire, and throw UsageError for two writers of one element, for elements whose release nobody
// has waited for, for use before wait() or after release, and when what CacheRO has copied was
// changed (at the end of a scope that ends the process with the message).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/container/internal/cache_checks.hpp"
#include "grappa/container/internal/span_transfer.hpp"
#include "grappa/container/key_traits.hpp"
#include "grappa/memory/locale_memory.hpp"

namespace grappa {

namespace internal {

enum class CacheRight : std::uint8_t { kRead, kReadWrite, kWrite };

template <class T, CacheRight kRight>
class Cache {
  static_assert(kIsSendable<T> && alignof(T) <= 8,
                "grappa: what is cached is trivially copyable, and aligned to at most 8 bytes");
  static constexpr bool kWrites = kRight != CacheRight::kRead;

 public:
  using Element = std::conditional_t<kWrites, T, const T>;

  /// Elements [first, first + count) of the array. `buffer`: where the copy is made, if one is;
  /// it stays as long as the cache is held. Without it the cache has room of its own.
  Cache(const GlobalArray<T>& array, std::int64_t first, std::int64_t count,
        std::span<T> buffer = {}, const CallSite& where = CallSite::current())
      : Cache(Started(), ElementRange<T>::of(array, first, count, kName, where), buffer, where) {
    wait();
  }
  /// `count` elements from the address on.
  Cache(GlobalAddress<T> first, std::int64_t count, std::span<T> buffer = {},
        const CallSite& where = CallSite::current())
      : Cache(Started(), ElementRange<T>::of(first, count, kName, where), buffer, where) {
    wait();
  }

  /// The same, but without waiting for the elements: wait() does.
  [[nodiscard]] static Cache start(const GlobalArray<T>& array, std::int64_t first,
                                   std::int64_t count, std::span<T> buffer = {},
                                   const CallSite& where = CallSite::current()) {
    return Cache(Started(), ElementRange<T>::of(array, first, count, kName, where), buffer, where);
  }
  [[nodiscard]] static Cache start(GlobalAddress<T> first, std::int64_t count,
                                   std::span<T> buffer = {},
                                   const CallSite& where = CallSite::current()) {
    return Cache(Started(), ElementRange<T>::of(first, count, kName, where), buffer, where);
  }

  Cache(Cache&& other) noexcept : held_(std::exchange(other.held_, Held())) {}
  Cache& operator=(Cache&& other) noexcept {
    if (this != &other) {
      end();
      held_ = std::exchange(other.held_, Held());
    }
    return *this;
  }
  ~Cache() { end(); }

  /// Until all elements are here.
  void wait() {
    if (held_.arrival == nullptr) return;
    held_.arrival->wait();
    held_.arrival.reset();
    if constexpr (kChecksEveryAccess && !kWrites) held_.digest = digest_of(held_);
  }

  Element* data() const {
    require_usable();
    return held_.data;
  }
  std::size_t size() const { return static_cast<std::size_t>(held_.range.size()); }
  std::span<Element> span() const { return {data(), size()}; }
  Element& operator[](std::int64_t i) const {
    Element* const elements = data();
    if constexpr (kChecksEveryAccess) require_cached_index(i, held_.range.size());
    return elements[i];
  }

  /// Ends the cache before its scope ends: when it returns, everybody sees what was written.
  void release() {
    wait();
    CompletionEvent done;
    begin_release(&done.share());
    done.wait();
  }
  /// The same without waiting: others may acquire the elements when the enclosing completion event,
  /// or the one that is given, has finished. The buffer may be used again at once.
  void async_release() {
    wait();
    begin_release(enclosing_scope());
  }
  void async_release(CompletionEvent& event) {
    wait();
    begin_release(&event.share());
  }

 private:
  static constexpr const char* kName = kRight == CacheRight::kRead        ? "CacheRO"
                                       : kRight == CacheRight::kReadWrite ? "CacheRW"
                                                                          : "CacheWO";
  static constexpr std::uint64_t kLarge = 16 << 20;  // smaller ones come and go all the time
  struct Started {};
  struct Held {
    ElementRange<T> range;
    T* data = nullptr;
    RawElements<T> room;
    std::unique_ptr<CompletionEvent> arrival;
    CacheWriterId writer;
    std::uint64_t digest = 0;
    bool is_held = false;
    bool is_copy = false;
  };

  Cache(Started, const ElementRange<T>& range, std::span<T> buffer, const CallSite& where) {
    if (!buffer.empty() && std::ssize(buffer) < range.size())
      refuse_cache_buffer(kName, buffer.size(), range.size(), where);
    if constexpr (kChecksEveryAccess)
      held_.writer = enter_cache(homes_of(range), kWrites, kName, where);
    held_.range = range;
    held_.data = range.in_place();
    held_.is_held = true;
    held_.is_copy = held_.data == nullptr;
    if (!held_.is_copy) return;
    if (buffer.empty()) {
      const std::uint64_t bytes = static_cast<std::uint64_t>(range.size()) * sizeof(T);
      if (bytes >= kLarge) require_memory(bytes, kName);
      held_.room = RawElements<T>(range.size());
      held_.data = held_.room.data();
    } else {
      held_.data = buffer.data();
    }
    if constexpr (kRight != CacheRight::kWrite) {
      held_.arrival = std::make_unique<CompletionEvent>();
      start_read(*held_.arrival, range, held_.data);
    }
  }

  void begin_release(CompletionShare* scope) {
    require_usable();
    // From here on nobody uses it, whatever the messages let run.
    const Held held = std::exchange(held_, Held());
    if constexpr (!kWrites) {
      if (kChecksEveryAccess && held.is_copy && held.digest != digest_of(held))
        refuse_changed_cache();
    } else if (held.is_copy) {
      if constexpr (kChecksEveryAccess) begin_cache_release(homes_of(held.range), held.writer);
      start_write(scope, held.range, held.data, held.writer);
    } else if constexpr (kChecksEveryAccess) {
      here().handles->writers.remove(held.writer);
    }
  }

  void end() noexcept {
    if (!held_.is_held || !inside_runtime()) return;
    try {
      release();
    } catch (...) {
      fatal_exception();
    }
  }

  void require_usable() const {
    if constexpr (kChecksEveryAccess)
      require_cache_usable(held_.is_held, held_.arrival != nullptr, kName);
  }

  static std::uint64_t digest_of(const Held& held) {
    return hash_bytes(held.data, static_cast<std::size_t>(held.range.size()) * sizeof(T));
  }

  Held held_;
};

}  // namespace internal

/// Elements that are read.
template <class T>
using CacheRO = internal::Cache<T, internal::CacheRight::kRead>;
/// Elements that are read, changed and written back.
template <class T>
using CacheRW = internal::Cache<T, internal::CacheRight::kReadWrite>;
/// Elements that are all written.
template <class T>
using CacheWO = internal::Cache<T, internal::CacheRight::kWrite>;

/// One object; of const T, one that is only read.
template <class T>
class Cached {
  using Value = std::remove_const_t<T>;

 public:
  explicit Cached(GlobalAddress<Value> address,
                  const internal::CallSite& where = internal::CallSite::current())
      : Cached(Started(), address, where) {
    wait();
  }
  Cached(const Cached&) = delete;
  Cached& operator=(const Cached&) = delete;

  /// The same, but without waiting for the object: wait() does.
  [[nodiscard]] static Cached start(
      GlobalAddress<Value> address,
      const internal::CallSite& where = internal::CallSite::current()) {
    return Cached(Started(), address, where);
  }
  void wait() { cache_.wait(); }

  T& operator*() const { return *cache_.data(); }
  T* operator->() const { return cache_.data(); }

  /// As those of the caches.
  void release() { cache_.release(); }
  void async_release() { cache_.async_release(); }
  void async_release(CompletionEvent& event) { cache_.async_release(event); }

 private:
  using Cache = internal::Cache<Value, std::is_const_v<T> ? internal::CacheRight::kRead
                                                          : internal::CacheRight::kReadWrite>;
  struct Started {};

  Cached(Started, GlobalAddress<Value> address, const internal::CallSite& where)
      : cache_(Cache::start(address, 1, std::span(reinterpret_cast<Value*>(room_), 1), where)) {}

  alignas(Value) std::byte room_[sizeof(Value)];
  Cache cache_;
};

}  // namespace grappa
