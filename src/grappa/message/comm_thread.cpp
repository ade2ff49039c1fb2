#include "grappa/message/comm_thread.hpp"

#include <algorithm>
#include <exception>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/printable.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/message/packet_assembler.hpp"
#include "grappa/transport/transport.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint64_t kMinSleepNs = 20'000;
constexpr std::uint64_t kMaxSleepNs = 1'000'000;

}  // namespace

CommThread::CommThread(Locale& locale, int processor)
    : locale_(locale),
      route_(locale.config.route, locale.count),
      processor_(processor),
      metrics_(locale.metrics.block(locale.cores_each)),
      thread_([this] { loop(); }) {
  locale_.endpoint->set_wakeup([this] { parker_.wake(); });
}

CommThread::~CommThread() {
  stop();
  locale_.endpoint->set_wakeup({});
}

void CommThread::stop() {
  if (!thread_.joinable()) return;
  stop_.store(true, std::memory_order_seq_cst);
  parker_.wake();
  thread_.join();
}

void CommThread::loop() {
  metrics::set_current(&metrics_);
  if (processor_ >= 0) pin_this_thread(processor_);
  try {
    while (!stop_.load(std::memory_order_relaxed)) {
      if (take_packets()) {
        idle_since_ = sleep_ns_ = 0;
      } else {
        pause();
      }
    }
  } catch (...) {
    fatal("the communication core: " +
          printable_lines(describe_exception(std::current_exception())));
  }
}

bool CommThread::take_packets() {
  bool any = false;
  while (PacketBuffer* packet = locale_.endpoint->poll()) {
    any = true;
    Sections sections(packet);
    sections.hold();
    while (Chunk* chunk = sections.next()) {
      if (locale_.holds(chunk->destination)) {
        locale_.cores[static_cast<std::size_t>(chunk->destination - locale_.first_core())]
            ->messages->deliver(chunk);
        continue;
      }
      // At once: no core here would close the packet that it is put into.
      locale_.packets->forward(chunk, route_, PacketAssembler::kGo);
    }
  }
  return any;
}

void CommThread::pause() {
  const std::uint64_t now = now_ns();
  if (idle_since_ == 0) idle_since_ = now;
  if (now - idle_since_ < locale_.config.spin_ns) {
    cpu_relax();
    return;
  }
  // If the transport does not announce arrivals, poll for them, less and less often.
  sleep_ns_ = std::clamp(2 * sleep_ns_, kMinSleepNs, kMaxSleepNs);
  parker_.announce();
  const std::uint64_t next = locale_.endpoint->next_event_ns();
  const std::uint64_t until_next = next > now ? next - now : 0;
  const bool may_sleep = !stop_.load(std::memory_order_seq_cst) && until_next > 0;
  if (!may_sleep) {
    parker_.retract();
  } else {
    parker_.park(locale_.endpoint->wakes() ? until_next : sleep_ns_);
  }
}

}  // namespace grappa::internal
