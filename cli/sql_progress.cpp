#include "cli/sql_progress.hpp"

#include <fmt/format.h>

#include <chrono>

#include "grappa/base/clock.hpp"
#include "grappa/base/service_thread.hpp"

namespace grappa::cli {
namespace {

constexpr std::uint64_t kFirstSqlNs = 2'000'000'000;
constexpr std::chrono::milliseconds kLookEvery{100};

}  // namespace

SqlProgress::SqlProgress(const query::Progress& progress, bool quiet)
    : progress_(progress), line_(quiet, kFirstSqlNs) {
  if (line_.is_on()) thread_ = internal::start_without_signals([this] { look(); });
}

void SqlProgress::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  stopping_.notify_one();
  thread_.join();
  line_.clear();
}

void SqlProgress::look() {
  const std::uint64_t start = internal::now_ns();
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, kLookEvery, [this] { return stops_; })) {
    const bool loads = progress_.step == query::Progress::kLoading;
    const double seconds = static_cast<double>(internal::now_ns() - start) * 1e-9;
    line_.show(fmt::format("{}, {:.1f} s", loads ? "loading" : "query", seconds),
               progress_.fraction());
  }
}

}  // namespace grappa::cli
