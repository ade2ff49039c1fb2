#pragma once

// For tests: the cores of one or several locales with their message layer, without threads.
//
//   TestNetwork network({.locales = 2, .cores = 2});
//   network.at(0).send(1, Note{7}, nullptr);       // as core 0
//   network.settle();                              // until nothing moves any more
//
// The calling thread drives all cores in turn, on a virtual clock. Several locales are joined by
// the deterministic simulated transport.

#include <memory>
#include <stdexcept>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/config.hpp"
#include "grappa/base/module_table.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/message/metrics.hpp"
#include "grappa/message/payload_scan.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"
#include "grappa/tasking/task.hpp"
#include "grappa/tasking/test_locale.hpp"
#include "grappa/transport/transport.hpp"

namespace grappa::internal {

class TestNetwork {
 public:
  struct Shape {
    int locales = 1;
    int cores = 1;  // of each locale
    std::size_t chunk_bytes = 4096;
    double reorder = 0;
    int batch_prefetch = 32;
    std::optional<PayloadScanner::Extent> scan = std::nullopt;
    RoutePolicy route = RoutePolicy::kFlat;
    std::size_t in_flight_bytes = 4 << 20;
  };

  explicit TestNetwork(const Shape& shape) {
    Config config;
    config.locales = shape.locales;
    config.cores = shape.cores;
    config.chunk_bytes = shape.chunk_bytes;
    config.batch_prefetch = shape.batch_prefetch;
    config.route = shape.route;
    config.in_flight_bytes = shape.in_flight_bytes;
    config.shuffle = false;
    config.simulation.mode = SimulationMode::kDeterministic;
    config.simulation.reorder = shape.reorder;
    if (shape.locales > 1) transport_ = make_transport(config, &clock_);
    if (shape.scan) scanner_ = std::make_unique<PayloadScanner>(*shape.scan);
    for (int i = 0; i < shape.locales; ++i) {
      locales_.push_back(std::make_unique<Locale>(i, shape.locales, shape.cores, config));
      Locale& locale = *locales_.back();
      locale.virtual_clock = &clock_;
      locale.scanner = scanner_.get();
      locale.modules = &modules_;
      if (transport_ != nullptr) locale.endpoint = &transport_->endpoint(i);
      if (shape.locales > 1) {
        packets_.push_back(std::make_unique<PacketAssembler>(
            locale, Route(shape.route, shape.locales).most_neighbors()));
        locale.packets = packets_.back().get();
      }
      for (auto& core : locale.cores) {
        cores_.push_back(core.get());
        aggregators_.push_back(std::make_unique<Aggregator>(*core));
      }
    }
  }
  ~TestNetwork() {
    set_current_core(nullptr);
    metrics::set_current(nullptr);
    for (auto& aggregator : aggregators_) aggregator->discard();
  }
  TestNetwork(const TestNetwork&) = delete;
  TestNetwork& operator=(const TestNetwork&) = delete;

  int core_count() const { return static_cast<int>(cores_.size()); }
  Core& core(int i) { return *cores_.at(static_cast<std::size_t>(i)); }
  VirtualClock& clock() { return clock_; }

  /// The calling thread is core i from here on.
  Core& enter(int i) {
    set_current_core(&core(i));
    metrics::set_current(core(i).metrics);
    return core(i);
  }
  Aggregator& at(int i) { return *enter(i).messages; }

  /// Starts a task on core i; it runs when the core is driven.
  template <class F>
  void spawn(int i, const F& body, CompletionShare* scope) {
    enter(i).ledger->add(*scope);
    core(i).scheduler->push_private(make_task(body, scope));
  }

  /// One pass of core i. True when it did anything.
  bool step(int i) { return enter(i).scheduler->step(); }

  /// Drives all cores in turn until nothing moves any more; each flushes when it has nothing to do.
  /// A round takes a little time, and when only packets are under way the clock moves to the next
  /// arrival. Throws when all that takes absurdly long.
  void settle() {
    for (int round = 0; round < kMaxRounds; ++round) {
      bool moved = false;
      for (int i = 0; i < core_count(); ++i) moved |= step(i) || core(i).messages->flush();
      const std::uint64_t next = transport_ != nullptr ? transport_->earliest_arrival() : kNever;
      if (!moved && next == kNever) return;
      clock_.advance_to(moved ? clock_.now() + kRoundNs : next);
    }
    throw std::runtime_error("the cores do not come to rest");
  }

  std::uint64_t packets_in_flight() const { return transport_->in_flight(); }

  /// A counter, summed over all cores.
  std::uint64_t count(const metrics::Counter& counter) const {
    std::uint64_t sum = 0;
    for (const Core* core : cores_) sum += counter.value_in(*core->metrics);
    return sum;
  }

 private:
  static constexpr int kMaxRounds = 1'000'000;
  static constexpr std::uint64_t kRoundNs = 100;

  VirtualClock clock_;
  ModuleTable modules_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<PayloadScanner> scanner_;
  std::vector<std::unique_ptr<Locale>> locales_;
  std::vector<Core*> cores_;
  std::vector<std::unique_ptr<PacketAssembler>> packets_;
  std::vector<std::unique_ptr<Aggregator>> aggregators_;
};

}  // namespace grappa::internal
