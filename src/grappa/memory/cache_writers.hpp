#pragma once

// Which caches may write which elements of a core, as debug builds know it.
//
//   internal::CacheWriters& writers = internal::here().handles->writers;
//   const internal::CacheWriterId id = writers.new_id(this_core());
//   const std::vector<internal::MemoryPart> parts = {{4096, 8192}};
//   const std::string why = writers.conflict(parts, false);
//   if (!why.empty()) throw UsageError(why);
//   writers.add(id, parts, 512, "core 3, main.cpp:17");
//   writers.begin_release(id);     // its values are on their way
//   writers.written(id, 512);      // so many have come; the last of them removes it
//
// A cache with the right to write (container/cache.hpp) is entered at all homes of its elements.
// For delegates: nothing here switches tasks.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace grappa::internal {

/// What tells a cache from all others of the run. 0: none.
struct CacheWriterId {
  std::uint64_t bits = 0;
  explicit operator bool() const { return bits != 0; }
  friend bool operator==(CacheWriterId, CacheWriterId) = default;
};

/// Some bytes of this process's memory.
struct MemoryPart {
  std::uint64_t begin;
  std::uint64_t end;
};

/// Of one core.
class CacheWriters {
 public:
  /// Of a cache that this core acquires.
  CacheWriterId new_id(int core) { return {static_cast<std::uint64_t>(core) << 40 | ++last_}; }

  /// Why the parts may not be cached now: somebody writes them (no reason to refuse who `reads`),
  /// or has not waited for their release. Empty where nothing stands against it.
  std::string conflict(std::span<const MemoryPart> parts, bool reads) const;

  /// `who` is shown to people.
  void add(CacheWriterId id, std::vector<MemoryPart> parts, std::int64_t elements,
           const std::string& who);
  void begin_release(CacheWriterId id);
  void written(CacheWriterId id, std::int64_t elements);
  /// Does nothing where it is not.
  void remove(CacheWriterId id);

 private:
  struct Writer {
    CacheWriterId id;
    std::vector<MemoryPart> parts;
    std::int64_t elements;  // that have not been written back
    std::string who;
    bool is_released;
  };
  Writer* find(CacheWriterId id);

  std::vector<Writer> writers_;
  std::uint64_t last_ = 0;
};

}  // namespace grappa::internal
