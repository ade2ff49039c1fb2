#include "bench/memory_peak.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "grappa/base/error.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::bench {
namespace {

constexpr auto kPeriod = std::chrono::microseconds(500);

/// Of this process now, without what it shares with files.
std::uint64_t bytes_in_use() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::uint64_t shared = 0;
  statm >> size >> resident >> shared;
  return (resident - shared) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

MemoryPeak::MemoryPeak() {
  if (internal::inside_runtime())
    throw Error("bench: memory is watched by a thread made before the run");
  thread_ = std::thread([this] { watch(); });
}

MemoryPeak::~MemoryPeak() {
  ended_ = true;
  watching_ = true;
  watching_.notify_one();
  thread_.join();
}

void MemoryPeak::start() {
  malloc_trim(0);  // what was freed before would be used again, unseen
  at_start_ = bytes_in_use();
  most_ = at_start_;
  watching_ = true;
  watching_.notify_one();
}

std::uint64_t MemoryPeak::stop() {
  most_ = std::max(most_.load(), bytes_in_use());
  watching_ = false;
  return most_ - at_start_;
}

void MemoryPeak::watch() {
  for (;;) {
    watching_.wait(false);
    if (ended_) return;
    const std::uint64_t now = bytes_in_use();
    std::uint64_t most = most_;
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
    std::this_thread::sleep_for(kPeriod);
  }
}

}  // namespace grappa::bench
