#pragma once

// The locale of this process as an endpoint of an MPI job.
//
// The path of a packet: send() starts an MPI_Isend for it, or, while another thread uses MPI, puts
// it on the outgoing list for that thread; a later test finds that it has left. Some receives are
// always posted, into empty packets of the pool; as they match in the order in which they were
// posted, poll() tests only the oldest, hands its packet over and posts another. Nothing is copied
// and, once the pool has grown, nothing is allocated.
//
// A packet larger than packet_bytes() is announced by a small one that says its size and tag; the
// receiver posts a receive of that size.
//
// Thread safety: as Endpoint says; MPI itself is used by one thread at a time (try-lock).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "grappa/base/optional_mutex.hpp"
#include "grappa/transport/mpi/mpi_library.hpp"
#include "grappa/transport/pooled_endpoint.hpp"

namespace grappa::internal {

class MpiEndpoint final : public PooledEndpoint {
 public:
  /// Who makes the MPI calls for a packet: the only thread there is; whoever sends it, if he can;
  /// or only who polls.
  enum Sending { kSentByOnlyThread, kSentByCaller, kSentByPoller };

  MpiEndpoint(MpiLibrary& mpi, Sending sending, std::size_t packet_bytes);
  ~MpiEndpoint() override;

  void send(int destination, PacketBuffer* packet) override;
  PacketBuffer* poll() override;

  /// MPI does not announce arrivals: they have to be polled for.
  std::uint64_t next_event_ns() const override {
    return waiting_.load(std::memory_order_seq_cst) == 0 ? kNever : 0;
  }
  bool wakes() const override { return false; }
  /// Called when a packet has been put on the list for somebody who polls.
  void set_wakeup(std::function<void()> wakeup) override { wakeup_ = std::move(wakeup); }
  bool lost(int locale) const override;

  /// Collective, when no locale sends any more: waits until all that was sent to this locale has
  /// arrived, drops it, and closes the endpoint. No other thread uses it meanwhile.
  void drain();

  /// Nobody else uses MPI while the lock is held. See raw_mpi.hpp.
  std::unique_lock<OptionalMutex> hold_mpi() { return std::unique_lock(mpi_lock_); }

  std::uint64_t in_flight() const { return in_flight_.load(std::memory_order_relaxed); }

 private:
  // A list of packets, first in, first out, linked by PacketBuffer::next.
  struct Queue {
    PacketBuffer* first = nullptr;
    PacketBuffer* last = nullptr;
    void push(PacketBuffer* packet);
    PacketBuffer* pop();
  };

  // What announces a large packet.
  struct Announcement {
    std::uint64_t bytes;
    std::int64_t tag;
  };
  struct LargeArrival {
    Announcement announced;
    int source;
  };

  // All of these with mpi_lock_.
  PacketBuffer* progress();  // something that has arrived, or nullptr
  void start(int destination, PacketBuffer* packet);
  void start_waiting();
  void finish_sends();
  PacketBuffer* take_from_ring();
  PacketBuffer* take_large();
  void receive_large();
  void post_receive(int slot);
  int take_send_slot();
  PacketBuffer* arrive(PacketBuffer* packet, int source, std::size_t bytes);
  void sent(PacketBuffer* packet);

  const GrappaMpi& functions_;
  const Sending who_sends_;
  std::function<void()> wakeup_;

  OptionalMutex mpi_lock_;                // guards all that follows, up to the next comment
  std::vector<PacketBuffer*> sending_;    // by send slot; nullptr: an announcement
  std::vector<Announcement> announcing_;  // by send slot
  std::vector<int> free_sends_;
  std::vector<PacketBuffer*> ring_;  // by receive slot
  int oldest_ = 0;                   // in the ring
  int taken_ = -1;                   // slot of the ring whose receive is to be posted again
  std::vector<LargeArrival> announced_;
  std::vector<PacketBuffer*> large_;  // by bulk receive slot
  std::vector<int> free_large_;
  std::vector<int> finished_;
  std::vector<GrappaMpiArrival> finished_large_;
  int finished_large_count_ = 0;              // of these, how many have not been handed out
  std::vector<std::uint64_t> sent_to_;        // packets, by locale
  std::vector<std::uint64_t> received_from_;  // packets, by locale
  int next_large_tag_ = 0;

  // Shared by all threads.
  OptionalMutex outgoing_lock_;
  Queue outgoing_;                           // guarded by it; `source` is the destination
  std::atomic<std::uint64_t> waiting_{0};    // packets in outgoing_
  std::atomic<std::uint64_t> in_flight_{0};  // accepted, and not yet out of our hands
};

}  // namespace grappa::internal
