#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "grappa/base/clock.hpp"
#include "grappa/base/printable.hpp"
#include "grappa/parallel/cancellation.hpp"

namespace grappa::cli {
namespace {

constexpr std::uint64_t kIntervalNs = 100'000'000;
constexpr std::string_view kWipe = "\r\033[K";

void write_error(std::string_view text) {
  // A terminal that has gone away loses the line, no more.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

bool terminal_on_standard_error() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && !(kind != nullptr && std::string_view(kind) == "dumb");
}

}  // namespace

Progress::Progress(bool quiet, std::uint64_t first_ns)
    : on_(!quiet && terminal_on_standard_error()),
      next_ns_(on_ ? internal::now_ns() + first_ns : 0) {}

void Progress::show(std::string_view what, double fraction) {
  stop_if_cancelled();
  if (!on_) return;
  if (sink_) return sink_(what, fraction);
  const std::uint64_t now = internal::now_ns();
  if (now < next_ns_) return;
  next_ns_ = now + kIntervalNs;
  shown_ = true;
  const std::string text = internal::printable(what);
  write_error(fraction < 0 ? fmt::format("{}grappa: {}", kWipe, text)
                           : fmt::format("{}grappa: {} {:3.0f} %", kWipe, text, fraction * 100));
}

void Progress::clear() {
  if (!std::exchange(shown_, false)) return;
  write_error(kWipe);
}

std::function<void(double)> Progress::reporter(std::string what) {
  if (!on_) return {};
  return [this, what = std::move(what)](double fraction) { show(what, fraction); };
}

}  // namespace grappa::cli
