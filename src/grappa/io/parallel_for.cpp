#include "grappa/io/parallel_for.hpp"

#include <algorithm>
#include <exception>
#include <mutex>

namespace grappa::io {

const ParallelFor& serial_for() {
  static const ParallelFor serial = [](std::int64_t n,
                                       const std::function<void(std::int64_t)>& body) {
    for (std::int64_t i = 0; i < n; ++i) body(i);
  };
  return serial;
}

void for_parts(const ParallelFor& parallel, std::int64_t n,
               const std::function<void(std::int64_t)>& body) {
  if (n <= 0) return;
  if (n == 1) return body(0);
  std::mutex mutex;
  std::int64_t failed_index = n;
  std::exception_ptr failure;
  parallel(n, [&](std::int64_t i) {
    try {
      body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i < failed_index) {
        failed_index = i;
        failure = std::current_exception();
      }
    }
  });
  if (failure) std::rethrow_exception(failure);
}

void for_ranges(const ParallelFor& parallel, std::int64_t n, std::int64_t grain,
                const std::function<void(std::int64_t, std::int64_t)>& body) {
  for_parts(parallel, (n + grain - 1) / grain, [&](std::int64_t part) {
    const std::int64_t begin = part * grain;
    body(begin, std::min(n, begin + grain));
  });
}

}  // namespace grappa::io
