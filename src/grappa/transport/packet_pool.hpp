#pragma once

// Where packets come from and go back to.
//
//   PacketPool pool(256 * 1024);
//   PacketBuffer* packet = pool.acquire(0);
//   PacketPool::release(packet);             // to the pool that made it, from any thread
//
// The packet released last is handed out first, because it is the likeliest to be in a cache. The
// pool grows to the largest number of packets that were out at once and keeps them until it is
// destroyed. Packets of a larger capacity than the pool's are not kept. While a packet lies in the
// pool its payload is poisoned under AddressSanitizer.
//
// Thread safety: all functions may be called from any thread; if the pool is not shared, only
// allocated() may, and one thread at a time calls the others. Errors: acquire() throws
// std::bad_alloc, and UsageError for more bytes than a packet can have (4 GiB); release() throws
// UsageError for a packet that is not out. All packets must be back before the pool is destroyed.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "grappa/base/optional_mutex.hpp"
#include "grappa/transport/packet.hpp"

namespace grappa::internal {

/// Packets of one capacity, kept for reuse.
class PacketPool {
 public:
  /// `shared`: whether several threads use it.
  explicit PacketPool(std::size_t packet_bytes, bool shared = true);
  ~PacketPool();
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  std::size_t packet_bytes() const { return packet_bytes_; }

  /// A packet in state kOwned with room for max(at_least, packet_bytes()).
  PacketBuffer* acquire(std::size_t at_least);

  static void release(PacketBuffer* packet);

  /// Packets allocated from the system so far.
  std::uint64_t allocated() const { return allocated_.load(std::memory_order_relaxed); }

 private:
  PacketBuffer* pop();
  void push(PacketBuffer* packet);

  const std::size_t packet_bytes_;
  OptionalMutex mutex_;
  PacketBuffer* free_ = nullptr;  // guarded by mutex_
  std::atomic<std::uint64_t> allocated_{0};
};

}  // namespace grappa::internal
