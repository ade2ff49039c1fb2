#pragma once

// Samples of what the cores of a locale do, over time (Config::stats_every_ns).
//
//   Sampler sampler(locale, 100'000'000);
//   run_it();
//   sampler.samples();         // by time, and in each by core
//
// A thread of its own looks at the cores, which notice nothing. When there are too many samples
// every second one is dropped, and from then on they are taken half as often.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "grappa/tasking/core.hpp"
#include "grappa/tasking/core_sample.hpp"

namespace grappa::internal {

class Sampler {
 public:
  static constexpr std::size_t kMaxSamples = 2048;

  /// Starts now. The cores of `locale` have recorders.
  Sampler(const Locale& locale, std::uint64_t period_ns, std::size_t max_samples = kMaxSamples);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Those until now, with one of this moment. Any thread.
  std::vector<CoreSample> samples();
  std::uint64_t period_ns();

 private:
  void loop();
  void take();  // the mutex is held
  void halve();

  const Locale& locale_;
  const std::size_t max_samples_;
  const std::uint64_t start_ns_;
  std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  bool stop_ = false;
  std::uint64_t period_ns_;
  std::vector<CoreSample> samples_;
  std::thread thread_;
};

}  // namespace grappa::internal
