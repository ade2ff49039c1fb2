// The aggregator of a core: collects small messages into chunks for each destination, hands them
// over, and runs those that arrive.
//
// The path of one message: `send` finds the lane of the destination; when the lane's open batch has
// the same type and event, the message is copied behind the last one and that is all. Otherwise a
// batch is closed, a header is written, or the chunk is sealed and handed over. A sealed chunk is
// pushed by pointer on the destination's inbound stack (same locale), or copied into a packet
// (other locale). The destination takes all its inbound chunks in one exchange, runs batch by
// batch, and pushes each chunk on the owner's return stack.
//
// Back-pressure: bytes on their way to a destination are limited by a credit, which returns with
// the chunks. A task that would exceed it waits (polls and yields). A handler never waits: it takes
// a chunk beyond the credit, which is counted, and tasks that send to the same destination wait
// until it has come back. So the messages that finish others' requests always move.
//
// All functions are for the core's own thread, except `deliver` and `give_back`.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <source_location>
#include <type_traits>
#include <vector>

#include "grappa/base/huge_pages.hpp"
#include "grappa/message/chunk.hpp"
#include "grappa/message/message_type.hpp"
#include "grappa/message/payload_scan.hpp"
#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/transport/transport.hpp"

namespace grappa {

class Aggregator final : public MessagePump, public AckSender {
 public:
  explicit Aggregator(Core& core);
  ~Aggregator() override;
  Aggregator(const Aggregator&) = delete;
  Aggregator& operator=(const Aggregator&) = delete;

  /// Appends a message for `destination`. With a scope, the message counts as unfinished work of
  /// that event until it ran. From a task this may switch tasks (when the destination is out of
  /// credit).
  template <class M>
  void send(int destination, const M& message, CompletionShare* scope) {
    Lane& lane = lanes_[static_cast<std::size_t>(destination)];
    std::byte* place = lane.cursor;
    if (lane.type != &kMessageType<M> || lane.scope != scope ||
        static_cast<std::size_t>(lane.limit - place) < sizeof(M)) [[unlikely]] {
      place = open_batch(destination, kMessageType<M>, scope, sizeof(M));
    }
    std::memcpy(place, static_cast<const void*>(&message), sizeof(M));
    lane.cursor = place + sizeof(M);
  }

  /// As `send`, for a message with a tail of `tail_bytes` at `tail`: runs as a batch of its own,
  /// with the tail right behind the message (RunContext::bytes tells the sum). Any size.
  template <class M>
  void send_with_tail(int destination, const M& message, const void* tail, std::size_t tail_bytes,
                      CompletionShare* scope) {
    static_assert(alignof(M) <= 8 && sizeof(M) % 8 == 0);
    std::byte* place = open_single(destination, kMessageType<M>, scope, sizeof(M) + tail_bytes);
    std::memcpy(place, static_cast<const void*>(&message), sizeof(M));
    if (tail_bytes != 0) std::memcpy(place + sizeof(M), tail, tail_bytes);
  }

  /// Refuses a closure that holds pointers into this locale's private memory, in runs that scan
  /// (Config::scans_payloads). `where` is the call that sends it.
  template <class F>
  void check_payload(const F& closure, const std::source_location& where) {
    if (scanner_ != nullptr) [[unlikely]]
      scan_payload(closure, where);
  }

  /// A chunk for a message that fills it by itself. From a task this may switch tasks.
  Chunk* acquire_chunk(int destination);
  static std::byte* message_of(Chunk* chunk) { return chunk->data() + sizeof(BatchHeader); }
  std::size_t largest_message() const { return chunk_bytes_ - sizeof(BatchHeader); }

  /// Sends an acquired chunk that holds one message of `bytes`.
  template <class M>
  void send_chunk(int destination, Chunk* chunk, std::size_t bytes, CompletionShare* scope) {
    dispatch_single(destination, chunk, kMessageType<M>, bytes, scope);
  }

  /// From a handler: turns the chunk it runs in around, as one message of type M for its source.
  /// The reply belongs to no event, but takes nothing from any credit either.
  template <class M>
  void send_back(RunContext& context) {
    turn_around(context, kMessageType<M>);
  }

  /// Hands over what waits for `destination`.
  void flush_to(int destination);

  /// Drops what is left at the end of a run (acknowledgements, messages of a run that failed).
  /// Chunks lie in the memory of the core that filled them: all aggregators of a process discard
  /// before the first of them is destroyed. No thread drives a core any more.
  void discard();

  // MessagePump
  bool poll() override;
  bool flush() override;
  void tick() override;
  bool has_arrivals() const override {
    return arrived_head_ != nullptr || inbound_.load(std::memory_order_relaxed) != nullptr;
  }
  bool inbound_waiting() const override {
    return inbound_.load(std::memory_order_relaxed) != nullptr;
  }
  std::uint64_t next_arrival() const override;
  bool must_poll() const override;

  // AckSender
  void send_ack(int core, EventId id, std::int64_t count) override;
  void send_steal_ack(int core, RangeDescriptor* range, std::int64_t units) override;
  void send_error(CompletionShare& share, const ErrorRecord& record) override;

  /// A chunk arrives for this core. Any thread of the process.
  void deliver(Chunk* chunk);

  /// A chunk of this core's pool comes back. Any thread of the process.
  void give_back(Chunk* chunk);

  /// The receiver's side of credit between locales.
  void credit_returned(int destination, std::uint64_t bytes);

 private:
  struct alignas(64) Lane {
    std::byte* cursor = nullptr;
    std::byte* limit = nullptr;
    const MessageType* type = nullptr;  // of the open batch; nullptr: none is open
    CompletionShare* scope = nullptr;
    Chunk* chunk = nullptr;
    BatchHeader* batch = nullptr;
    std::uint32_t in_flight = 0;  // bytes sent and not yet given back
    bool dirty = false;           // in dirty_
    bool aged = false;            // the last tick found it open
  };
  enum class Reason { kFull, kAge, kIdle, kAsked, kHungry };

  template <class F>
  void scan_payload(const F& closure, const std::source_location& where) {
    F copy(closure);
#if __has_builtin(__builtin_clear_padding)
    // What stack or heap left between the members is not part of the closure.
    if constexpr (std::is_trivially_copyable_v<F>) __builtin_clear_padding(&copy);
#endif
    scanner_->check(&copy, sizeof copy, typeid(F), where);
  }

  std::byte* open_batch(int destination, const MessageType& type, CompletionShare* scope,
                        std::size_t bytes);
  std::byte* open_single(int destination, const MessageType& type, CompletionShare* scope,
                         std::size_t bytes);
  void close_batch(Lane& lane);
  void seal(int destination, Reason reason);
  void dispatch(int destination, Chunk* chunk);
  void dispatch_single(int destination, Chunk* chunk, const MessageType& type, std::size_t bytes,
                       CompletionShare* scope);
  void send_packet(int destination, Chunk* chunk);
  const MessageType* to_travel(const MessageType* type) const;
  const MessageType* from_travel(const MessageType* id) const;
  void turn_around(RunContext& context, const MessageType& type);
  void mark_dirty(int destination, Lane& lane);
  void wait_for_credit(int destination);
  bool out_of_credit(const Lane& lane) const;
  Chunk* take_chunk();
  Chunk* make_oversize(std::size_t bytes);
  void collect_returned();
  void recycle(Chunk* chunk);
  void receive_packets();
  void feed_hungry();
  void run_chunk(Chunk* chunk);
  void finish_chunk(Chunk* chunk);
  void return_finished();

  Core& core_;
  const std::size_t chunk_bytes_;
  const std::uint32_t local_credit_;
  const std::uint32_t remote_credit_;
  PayloadScanner* scanner_;
  std::vector<Lane> lanes_;
  std::vector<int> dirty_;
  std::size_t next_flush_ = 0;
  Chunk* free_ = nullptr;
  std::vector<Mapping> slabs_;
  std::size_t slab_left_ = 0;
  std::byte* slab_next_ = nullptr;
  Chunk* arrived_head_ = nullptr;
  Chunk* arrived_tail_ = nullptr;
  // Others' chunks that have been run. They go back one poll later: what the messages in them sent
  // is waited for, and a handful of cache lines move faster than twice as many.
  Chunk* finished_ = nullptr;
  std::vector<std::uint32_t> owed_;  // bytes of credit owed to cores of other locales
  alignas(64) std::atomic<Chunk*> inbound_{nullptr};
  alignas(64) std::atomic<Chunk*> returned_{nullptr};
};

}  // namespace grappa
