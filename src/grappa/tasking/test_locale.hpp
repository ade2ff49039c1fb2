#pragma once

// For tests: the cores of one locale without threads and without a message layer.
//
//   TestLocale locale(2);
//   locale.enter(0);                        // the calling thread is core 0 from here on
//   locale.core(0).scheduler->step();       // … and drives it by hand
//
// What the cores would send is kept in `acks`, in the order of sending, for the test to deliver.

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "grappa/base/config.hpp"
#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/range.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {

/// A message layer in which nothing ever arrives.
class QuietPump : public MessagePump {
 public:
  bool poll() override { return false; }
  bool flush() override { return false; }
  void tick() override {}
  bool has_arrivals() const override { return false; }
  bool wants_poll() const override { return false; }
  bool inbound_waiting() const override { return false; }
  std::uint64_t next_arrival() const override { return kNoArrival; }
  bool must_poll() const override { return false; }
  Traffic traffic() const override { return {}; }
};

/// An acknowledgement on its way.
struct TestAck {
  int from;
  int to;
  EventId event;           // of a plain acknowledgement
  RangeDescriptor* range;  // of a steal acknowledgement, else nullptr
  std::int64_t count;
  friend bool operator==(const TestAck&, const TestAck&) = default;
};

/// Keeps the acknowledgements and errors that one core sends, for any thread to take.
class KeptAcks final : public AckSender {
 public:
  explicit KeptAcks(int core) : core_(core) {}

  void send_ack(int core, EventId id, std::int64_t count) override {
    keep({core_, core, id, nullptr, count});
  }
  void send_steal_ack(int core, RangeDescriptor* range, std::int64_t units) override {
    keep({core_, core, 0, range, units});
  }
  void send_error(CompletionShare&, const ErrorRecord& record) override {
    errors.push_back(record);
  }

  std::deque<TestAck> take() {
    const std::lock_guard lock(mutex_);
    std::deque<TestAck> taken;
    taken.swap(kept_);
    return taken;
  }

  std::vector<ErrorRecord> errors;  // for the sending thread only

 private:
  void keep(const TestAck& ack) {
    const std::lock_guard lock(mutex_);
    kept_.push_back(ack);
  }

  int core_;
  std::mutex mutex_;
  std::deque<TestAck> kept_;
};

/// Small stacks and first-in-first-out order, whatever the build.
inline Config tasking_test_config() {
  Config config;
  config.shuffle = false;
  return config;
}

class TestLocale {
 public:
  explicit TestLocale(int cores, const Config& config = tasking_test_config())
      : locale_(0, 1, cores, config) {
    for (auto& core : locale_.cores) {
      core->pump = &pump_;
      acks.push_back(std::make_unique<KeptAcks>(core->id));
      core->ledger->set_sender(acks.back().get());
    }
  }
  ~TestLocale() { set_current_core(nullptr); }
  TestLocale(const TestLocale&) = delete;
  TestLocale& operator=(const TestLocale&) = delete;

  Locale& locale() { return locale_; }
  Core& core(int i) { return *locale_.cores[static_cast<std::size_t>(i)]; }
  Ledger& ledger(int i) { return *core(i).ledger; }
  Scheduler& scheduler(int i) { return *core(i).scheduler; }
  RangeBoard& ranges(int i) { return *core(i).ranges; }

  /// Makes the calling thread drive core i.
  Core& enter(int i) {
    set_current_core(&core(i));
    return core(i);
  }

  /// Hands an acknowledgement to the core it is for; on the thread that drives that core.
  void deliver(const TestAck& ack) {
    if (ack.range != nullptr) {
      ranges(ack.to).finish_units(*ack.range, ack.count);
    } else {
      ledger(ack.to).acknowledged(ack.event, ack.count);
    }
  }

  /// One acknowledgement that core i has sent for each element, oldest first.
  std::deque<TestAck> sent_by(int i) { return acks[static_cast<std::size_t>(i)]->take(); }

  std::vector<std::unique_ptr<KeptAcks>> acks;

 private:
  QuietPump pump_;
  Locale locale_;
};

/// A completion event of core `core`, for as long as the object lives.
class TestEvent {
 public:
  explicit TestEvent(Core& core) : core_(core) {
    share.errors = &errors;
    core_.ledger->open(share);
  }
  ~TestEvent() { core_.ledger->close(share); }
  TestEvent(const TestEvent&) = delete;
  TestEvent& operator=(const TestEvent&) = delete;

  CompletionShare share;
  ErrorRecord errors;

 private:
  Core& core_;
};

}  // namespace grappa::internal
