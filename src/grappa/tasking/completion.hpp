#pragma once

// Counting what a completion event waits for, on one core.
//
// A completion event is owned by one core; work that joins it may run, and cause more work, on any
// core. Each core involved keeps a *share*: the number of its own unfinished tasks of the event
// plus the messages it sent for the event that are not acknowledged. The shares form a tree, as in
// E. W. Dijkstra and C. S. Scholten, "Termination detection for diffusing computations" (1980): the
// message that engages an idle share is acknowledged only when the share has drained, every other
// one at once, with one acknowledgement for a whole batch. So the owner's share reaches zero
// exactly when all work has ended everywhere, and an asynchronous message costs no reply of its
// own.
//
// A ledger is used by its own core only.

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "grappa/tasking/suspended.hpp"

namespace grappa::internal {

struct Core;
struct RangeDescriptor;

/// Names an event anywhere: owner core (16 bits), slot (24), generation (24). 0 names none.
using EventId = std::uint64_t;

inline int event_owner(EventId id) { return static_cast<int>(id >> 48); }

/// What is kept of the exceptions of an event's work: the first one and how many there were.
struct ErrorRecord {
  std::string type_name;
  std::string message;
  std::int64_t count = 0;
};

/// One core's part in the count of an event.
struct CompletionShare {
  enum class Parent : std::uint8_t { kNone, kOwner, kMessage, kSteal };

  std::int64_t pending = 0;
  EventId id = 0;
  Parent parent = Parent::kNone;
  int parent_core = -1;                     // Message, Steal
  RangeDescriptor* parent_range = nullptr;  // Steal
  std::int64_t parent_units = 0;            // Steal: how much of that range this share answers for
  Suspended waiter;                         // Owner: whom to wake at zero
  ErrorRecord* errors = nullptr;            // Owner: where errors are kept
};

/// How acknowledgements leave a core; the message layer provides it.
class AckSender {
 public:
  virtual ~AckSender() = default;
  virtual void send_ack(int core, EventId id, std::int64_t count) = 0;
  virtual void send_steal_ack(int core, RangeDescriptor* range, std::int64_t units) = 0;
  virtual void send_error(CompletionShare& share, const ErrorRecord& record) = 0;
};

/// The shares of one core.
class Ledger {
 public:
  explicit Ledger(Core& core) : core_(core) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  void set_sender(AckSender* sender) { sender_ = sender; }

  /// Registers `share` as the owner's share of a new event. At most 2^24 live events a core.
  void open(CompletionShare& share);
  void close(CompletionShare& share);

  /// This core's share of an event; made (idle) when there is none yet.
  CompletionShare& find(EventId id);

  void add(CompletionShare& share, std::int64_t n = 1) { share.pending += n; }
  void finish(CompletionShare& share, std::int64_t n = 1) {
    share.pending -= n;
    if (share.pending == 0) drained(share);
  }

  /// Brackets the execution of a batch of `count` messages that `origin` sent for an event.
  CompletionShare& begin_batch(EventId id) {
    CompletionShare& share = find(id);
    ++share.pending;
    return share;
  }
  void end_batch(CompletionShare& share, int origin, std::int64_t count);

  /// An acknowledgement arrived.
  void acknowledged(EventId id, std::int64_t count) { finish(find(id), count); }

  /// This core takes a task, or part of a range, of the event from another core of the locale:
  /// `begin_adoption` counts it in the share, one of the other two then tells the victim.
  CompletionShare& begin_adoption(EventId id) {
    CompletionShare& share = find(id);
    ++share.pending;
    return share;
  }
  void adopted_task(CompletionShare& share, int victim);
  void adopted_range(CompletionShare& share, int victim, RangeDescriptor* range,
                     std::int64_t units);

  /// Records an exception thrown by work of the event.
  void report(CompletionShare& share, const std::exception_ptr& error);
  /// The owner's side of `report`.
  static void record(CompletionShare& owner_share, const ErrorRecord& error);

  /// What work of this core's events has thrown and nobody has been told yet: a line for each event
  /// that there is something of, at most `limit`.
  std::string describe_errors(std::size_t limit) const;

  std::size_t live_events() const { return slots_.size() - free_slots_.size(); }

 private:
  struct Slot {
    CompletionShare* share = nullptr;
    std::uint32_t generation = 0;
  };

  void drained(CompletionShare& share);
  void release(CompletionShare& share);
  CompletionShare& remote_share(EventId id);

  Core& core_;
  AckSender* sender_ = nullptr;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::unordered_map<EventId, CompletionShare*> remote_;
  std::vector<std::unique_ptr<CompletionShare>> all_remote_;
  std::vector<CompletionShare*> free_remote_;
  CompletionShare* last_remote_ = nullptr;  // the last one that was asked for
};

}  // namespace grappa::internal
