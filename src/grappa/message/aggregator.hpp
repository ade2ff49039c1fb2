#pragma once

// The aggregator of a core: collects small messages into chunks for each destination, hands them
// over, and runs those that arrive.
//
// The path of one message: `send` finds the lane of the destination; if the lane's open batch has
// the same type and event, the message is copied after the last one and that is all. Otherwise a
// batch is closed, a header is written, or the chunk is sealed and handed over. A sealed chunk is
// pushed by pointer on the destination's inbound stack (same locale), or copied into a packet
// (other locale; see packet_assembler.hpp). The destination takes all its inbound chunks in one
// exchange, runs batch by batch, and pushes each chunk on the owner's return stack.
//
// Under two-hop routing (route.hpp) a message for a locale that is not reached directly goes into
// the *scatter lane* of the locale that forwards it, behind a header that names its core; the core
// of that locale with the sender's index takes it out and sends it on, as if it were its own. The
// event of the message is then counted at each hop, as for any message that causes another one.
// Messages that fill a chunk by themselves are passed on whole.
//
// Back-pressure: bytes on their way to a destination are limited by a credit, which returns with
// the chunks. A task that would exceed it waits (polls and yields). A handler never waits: it takes
// a chunk beyond the credit, which is counted, and tasks that send to the same destination wait
// until it has come back. So messages that finish the requests of others always move. A core that
// forwards sets scatter chunks aside while a lane of the second hop is out of credit; a second hop
// depends only on its receiver, so this ends, and until then the first hop's credit is held.
//
// All functions are for the core's own thread, except `deliver` and `give_back`.

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <source_location>
#include <type_traits>
#include <vector>

#include "grappa/message/buffer_shape.hpp"
#include "grappa/message/chunk.hpp"
#include "grappa/message/chunk_list.hpp"
#include "grappa/message/chunk_pool.hpp"
#include "grappa/message/inbox.hpp"
#include "grappa/message/message_type.hpp"
#include "grappa/message/owed_credit.hpp"
#include "grappa/message/packet_assembler.hpp"
#include "grappa/message/payload_scan.hpp"
#include "grappa/message/route.hpp"
#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/transport/transport.hpp"

namespace grappa::internal {

/// The message buffers of one core.
class Aggregator final : public MessagePump, public AckSender {
 public:
  /// The locale's endpoint and packet assembler must be there already.
  explicit Aggregator(Core& core);
  ~Aggregator() override;
  Aggregator(const Aggregator&) = delete;
  Aggregator& operator=(const Aggregator&) = delete;

  /// Appends a message for `destination`. With a scope, the message counts as unfinished work of
  /// that event until it ran. From a task this may switch tasks (when the destination is out of
  /// credit).
  template <class M>
  void send(int destination, const M& message, CompletionShare* scope) {
    Lane& lane = lanes_[lane_index(destination)];
    std::byte* place = lane.cursor;
    std::byte* end = place + sizeof(M);
    if (lane.type != &kMessageType<M> || lane.scope != scope || end > lane.limit) [[unlikely]] {
      place = open_batch(destination, kMessageType<M>, scope, sizeof(M));
      end = place + sizeof(M);
    }
    std::memcpy(place, static_cast<const void*>(&message), sizeof(M));
    lane.cursor = end;
  }

  /// As `send`, for the last message that its sender sends for now. If it goes to another locale
  /// and this core has nothing else to do, it leaves at once, without waiting in a buffer. With
  /// `last` false it is just `send`.
  template <class M>
  void send_last(int destination, const M& message, CompletionShare* scope, bool last = true) {
    if constexpr (sizeof(M) <= kMaxExpressBytes) {
      if (lanes_[lane_index(destination)].remote && last) [[unlikely]] {
        if (Chunk* chunk = express_chunk(destination, kMessageType<M>, scope, sizeof(M))) {
          std::memcpy(message_of(chunk), static_cast<const void*>(&message), sizeof(M));
          send_express(chunk);
          return;
        }
      }
    }
    send(destination, message, scope);
  }

  /// As `send_last`, for a message with a tail of `tail_bytes` (Tailed), which write(place) writes.
  /// Up to 2 GiB; UsageError beyond.
  template <class M, class Write>
  void send_writing(int destination, const M& message, std::size_t tail_bytes, Write write,
                    CompletionShare* scope, bool last = false) {
    using Message = Tailed<M>;
    const std::size_t bytes = sizeof(Message) + round_up(tail_bytes, 8);
    Chunk* express = nullptr;
    if (last && bytes <= kMaxExpressBytes && lanes_[lane_index(destination)].remote)
      express = express_chunk(destination, kMessageType<Message>, scope, bytes);
    std::byte* const place = express != nullptr
                                 ? message_of(express)
                                 : append(destination, kMessageType<Message>, scope, bytes);
    const Message head{static_cast<std::uint32_t>(bytes),
                       static_cast<std::uint32_t>(sizeof(M) + tail_bytes), message};
    std::memcpy(place, static_cast<const void*>(&head), sizeof head);
    write(place + sizeof head);
    if (express != nullptr) send_express(express);
  }

  /// The same for a tail that lies at `tail`.
  template <class M>
  void send_with_tail(int destination, const M& message, const void* tail, std::size_t tail_bytes,
                      CompletionShare* scope, bool last = false) {
    const auto copy = [&](std::byte* to) {
      if (tail_bytes != 0) std::memcpy(to, tail, tail_bytes);
    };
    send_writing(destination, message, tail_bytes, copy, scope, last);
  }

  /// Refuses a closure that holds pointers into this locale's private memory, in runs that scan
  /// all messages (payload_scan.hpp). `where` is the call that sends it. What is serialized lists
  /// what it is made of, and is not scanned.
  template <class F>
  void check_payload(const F& closure, const std::source_location& where) {
    if constexpr (kIsSendable<F>) {
      if (message_scanner_ != nullptr) [[unlikely]]
        scan(*message_scanner_, closure, "closure", "that is sent here", &where);
    }
  }

  /// The same for a closure that is sent once and called many times, in every run that scans.
  /// `travels`: also to other locales.
  template <class F>
  void check_body(const F& closure, const std::source_location& where, bool travels = true) {
    if (body_scanner_ == nullptr || !kIsSendable<F>) return;
    const bool pointers = travels && body_scanner_->finds_pointers();
    if (message_scanner_ != nullptr || (pointers ? kMayHoldPointer<F> : kMayHoldReference<F>))
      scan(*body_scanner_, closure, "closure", "that goes to other cores here", &where, travels);
  }

  /// The same for a value that is written at its home, and for the result of a delegate.
  template <class T>
  void check_value(const T& value, const std::source_location& where) {
    if constexpr (kIsSendable<T> && kMayHoldPointer<T>) {
      if (message_scanner_ != nullptr) [[unlikely]]
        scan(*message_scanner_, value, "value", "that is written here", &where);
    }
  }
  template <class R>
  void check_result(const R& result) {
    if constexpr (kMayHoldPointer<R>) {
      if (message_scanner_ != nullptr) [[unlikely]]
        scan(*message_scanner_, result, "result", "of a delegate", nullptr);
    }
  }
  template <class R>
  void check_result(const std::optional<R>& result) {
    if (result) check_result(*result);  // what an empty one holds is not defined
  }

  /// A chunk for a message that fills it by itself. From a task this may switch tasks.
  Chunk* acquire_chunk(int destination);
  static std::byte* message_of(Chunk* chunk) { return chunk->data() + sizeof(BatchHeader); }
  std::size_t largest_message() const { return shape_.chunk_bytes - sizeof(BatchHeader); }
  /// The longest tail of an M that a chunk of the usual size has room for.
  template <class M>
  std::size_t largest_tail() const {
    return largest_message() - sizeof(Tailed<M>);
  }

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

  /// MessagePump
  bool poll() override;
  bool flush() override;
  void tick() override;
  bool has_arrivals() const override {
    return !inbox_.queue_empty() || can_scatter() || inbox_.has_delivered();
  }
  bool wants_poll() const override {
    return has_arrivals() || finished_ != nullptr || !dirty_.empty();
  }
  bool inbound_waiting() const override { return inbox_.has_delivered(); }
  std::uint64_t next_arrival() const override;
  bool must_poll() const override;
  Traffic traffic() const override;

  /// AckSender
  void send_ack(int core, EventId id, std::int64_t count) override;
  void send_steal_ack(int core, RangeDescriptor* range, std::int64_t units) override;
  void send_error(CompletionShare& share, const ErrorRecord& record) override;

  /// A chunk arrives for this core. Any thread of the process.
  void deliver(Chunk* chunk);

  /// A chunk of this core's pool comes back. Any thread of the process.
  void give_back(Chunk* chunk) { pool_.give_back(chunk); }

  /// Credit between locales comes back from `core`, for its own lane or for the scatter lane of its
  /// locale.
  void credit_returned(int core, std::uint32_t bytes, bool scattered);

  /// What the buffers of this core are, for tests and reports.
  std::size_t lane_count() const { return lanes_.size(); }
  std::size_t chunk_bytes() const { return shape_.chunk_bytes; }

 private:
  struct alignas(64) Lane {
    std::byte* cursor = nullptr;
    std::byte* limit = nullptr;
    const MessageType* type = nullptr;  // of the open batch, if `send` may append to it unseen
    CompletionShare* scope = nullptr;   // of the open batch
    Chunk* chunk = nullptr;
    BatchHeader* batch = nullptr;          // the open batch; nullptr: none is open
    const MessageType* batched = nullptr;  // its type
    std::uint32_t in_flight = 0;           // bytes sent and not yet given back
    bool remote = false;                   // to another locale
    bool scatter = false;                  // to a locale that forwards
    bool dirty = false;                    // in dirty_
    bool aged = false;                     // the last tick found it open
  };
  static_assert(sizeof(Lane) == 64);
  enum class Reason { kFull, kAge, kIdle, kAsked, kHungry };

  template <class T>
  static void scan(PayloadScanner& scanner, const T& payload, const char* kind, const char* purpose,
                   const std::source_location* where, bool travels = true) {
    T copy(payload);
#if __has_builtin(__builtin_clear_padding)
    // What stack or heap left between the members is not part of it.
    if constexpr (std::is_trivially_copyable_v<T>) __builtin_clear_padding(&copy);
#endif
    scanner.check({&copy, sizeof copy, typeid(T), kind, purpose, travels}, where);
  }

  // Lanes. A core's own lane under flat routing has the core's number.
  std::size_t lane_index(int core) const {
    const auto index = static_cast<std::size_t>(core);
    return lane_of_ == nullptr ? index : lane_of_[index];
  }
  void make_lanes();
  /// Behind the last message of the open batch, on a multiple of 8.
  static std::byte* padded_end(const Lane& lane);
  bool out_of_credit(const Lane& lane) const {
    return lane.in_flight >= (lane.remote ? shape_.remote_credit : shape_.local_credit);
  }
  void charge(Lane& lane, std::uint32_t bytes);
  void discharge(Lane& lane, std::uint32_t bytes);

  /// Room for a message.
  std::byte* append(int destination, const MessageType& type, CompletionShare* scope,
                    std::size_t bytes) {
    Lane& lane = lanes_[lane_index(destination)];
    std::byte* place = lane.cursor;
    if (lane.type != &type || lane.scope != scope ||
        static_cast<std::size_t>(lane.limit - place) < bytes) [[unlikely]] {
      place = open_batch(destination, type, scope, bytes);
    } else {
      ++lane.batch->count;
    }
    lane.cursor = place + bytes;
    return place;
  }
  std::byte* open_batch(int destination, const MessageType& type, CompletionShare* scope,
                        std::size_t bytes);
  std::byte* open_routed(int destination, const MessageType& type, CompletionShare* scope,
                         std::size_t bytes);
  std::byte* open_single(int destination, const MessageType& type, CompletionShare* scope,
                         std::size_t bytes);
  std::byte* write_single(const Lane& lane, Chunk* chunk, const MessageType& type,
                          CompletionShare* scope, std::size_t bytes);
  void start_batch(Lane& lane, const MessageType& type, CompletionShare* scope);
  void make_room(std::size_t lane_number, std::size_t bytes);
  void close_batch(Lane& lane);
  void seal(std::size_t lane_number, Reason reason, PacketAssembler::Departure departure);
  void dispatch(std::size_t lane_number, Chunk* chunk, PacketAssembler::Departure departure);
  void dispatch_single(int destination, Chunk* chunk, const MessageType& type, std::size_t bytes,
                       CompletionShare* scope);
  void mark_dirty(std::size_t lane_number);
  void wait_for_credit(std::size_t lane_number);
  const MessageType* to_travel(const MessageType* type) const;
  const MessageType* from_travel(const MessageType* id) const;
  void turn_around(RunContext& context, const MessageType& type);
  void send_section(const Chunk& chunk, PacketAssembler::Departure departure);
  void send_section_back(Chunk* chunk);
  Chunk* express_chunk(int destination, const MessageType& type, CompletionShare* scope,
                       std::size_t bytes);
  void send_express(Chunk* chunk);
  void remember(const PacketAssembler::Ticket& ticket);
  /// Sends the open packets that hold something of this core, but the first `keep`.
  bool close_packets(std::size_t keep = 0);
  int next_locale(const Chunk& chunk) const;
  Core& core_at(int core) const;  // of this locale
  Chunk* take_chunk();
  void collect_returned();
  void recycle(Chunk* chunk);
  PacketBuffer* poll_network();
  void receive_packets();
  void take_section(Chunk* chunk);
  void feed_hungry();
  bool can_scatter() const { return !waiting_scatters_.empty() && blocked_second_hops_ == 0; }
  void run_chunk(Chunk* chunk);
  void scatter_batch(BatchHeader& batch, const MessageType& type, CompletionShare* scope);
  void finish_chunk(Chunk* chunk);
  void owe(int core, std::uint32_t bytes, bool scattered);
  void return_finished();

  static constexpr std::uint32_t kNoLane = UINT32_MAX;
  static constexpr std::size_t kMaxExpressBytes = 256;

  Core& core_;
  const Route route_;
  const BufferShape shape_;
  PayloadScanner* body_scanner_;     // nullptr: nothing is scanned
  PayloadScanner* message_scanner_;  // nullptr: only bodies are
  std::vector<Lane> lanes_;
  std::vector<std::int32_t> lane_target_;       // the core that runs what a lane collects
  std::unique_ptr<std::uint32_t[]> lane_of_;    // two-hop: by core
  std::vector<std::uint32_t> scatter_lane_of_;  // two-hop: by locale
  std::vector<std::uint32_t> dirty_;            // lanes
  std::size_t next_flush_ = 0;
  std::vector<PacketAssembler::Ticket> open_packets_;  // that hold something of this core
  std::size_t aged_packets_ = 0;                       // the first of them: open at the last tick
  int blocked_second_hops_ = 0;                        // remote lanes out of credit, scatter apart
  ChunkQueue waiting_scatters_;
  // Others' chunks that have been run. They go back one poll later: what the messages in them sent
  // is waited for, and a handful of cache lines move faster than twice as many.
  Chunk* finished_ = nullptr;
  OwedCredit owed_;            // to the lanes of cores of other locales
  OwedCredit owed_scattered_;  // to their scatter lanes, by locale
  Inbox inbox_;
  ChunkPool pool_;
};

}  // namespace grappa::internal
