#include "cli/interrupts.hpp"

#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "grappa/base/error.hpp"

namespace grappa::cli {
namespace {

constexpr std::uint64_t kPatienceNs = 2'000'000'000;

constinit std::atomic<bool> interrupt_asked{false};
constinit std::atomic<int> interrupt_event{-1};
constinit std::atomic<std::uint64_t> interrupt_since_ns{0};

// Safe in a signal handler.
std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

Interrupts::Interrupts() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0) throw Error(std::string("no descriptor is left: ") + std::strerror(errno));
  interrupt_asked.store(false);
  interrupt_event.store(descriptor_);
}

Interrupts::~Interrupts() {
  interrupt_event.store(-1);
  close(descriptor_);
}

std::atomic<bool>& Interrupts::asked() { return interrupt_asked; }

void Interrupts::clear() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t taken = read(descriptor_, &count, sizeof count);
  interrupt_asked.store(false);
}

bool note_interrupt() noexcept {
  const int event = interrupt_event.load();
  if (event < 0) return false;
  const int error = errno;
  const std::uint64_t now = monotonic_ns();
  if (!interrupt_asked.exchange(true)) {
    interrupt_since_ns.store(now);
  } else if (now - interrupt_since_ns.load() > kPatienceNs) {
    return false;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(event, &one, sizeof one);
  errno = error;
  return true;
}

}  // namespace grappa::cli
