#include "grappa/tasking/sampler.hpp"

#include <chrono>

#include "grappa/base/clock.hpp"
#include "grappa/base/core_recorder.hpp"
#include "grappa/base/service_thread.hpp"

namespace grappa::internal {

Sampler::Sampler(const Locale& locale, std::uint64_t period_ns, std::size_t max_samples)
    : locale_(locale), max_samples_(max_samples), start_ns_(now_ns()), period_ns_(period_ns) {
  take();
  thread_ = start_without_signals([this] { loop(); });
}

Sampler::~Sampler() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Sampler::loop() {
  std::unique_lock lock(mutex_);
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t due = period_ns_;
  while (!wake_.wait_until(lock, start + std::chrono::nanoseconds(due), [this] { return stop_; })) {
    take();
    due += period_ns_;
  }
}

void Sampler::take() {
  const std::uint64_t ns = now_ns() - start_ns_;
  for (const auto& core : locale_.cores) {
    const CoreRecorder& recorder = *core->recorder;
    const MessagePump::Traffic traffic = core->pump->traffic();
    samples_.push_back({ns, recorder.tasks(), recorder.suspended(), traffic.messages, traffic.bytes,
                        recorder.times().totals});
  }
  if (samples_.size() > max_samples_ * locale_.cores.size()) halve();
}

void Sampler::halve() {
  const std::size_t cores = locale_.cores.size();
  std::size_t kept = 0;
  for (std::size_t at = 0; at < samples_.size(); at += 2 * cores) {
    for (std::size_t core = 0; core < cores; ++core) samples_[kept++] = samples_[at + core];
  }
  samples_.resize(kept);
  period_ns_ *= 2;
}

std::vector<CoreSample> Sampler::samples() {
  const std::lock_guard lock(mutex_);
  take();
  return samples_;
}

std::uint64_t Sampler::period_ns() {
  const std::lock_guard lock(mutex_);
  return period_ns_;
}

}  // namespace grappa::internal
