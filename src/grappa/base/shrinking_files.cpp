#include "grappa/base/shrinking_files.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <utility>

#include "grappa/base/huge_pages.hpp"

namespace grappa::internal {

/// In a list that the handler walks: a range is used again, never freed.
struct ShrinkGuard::Range {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};  // 0: nothing is guarded
  bool is_used = true;                 // guarded by files_mutex
  Range* next = nullptr;
};

namespace {

constinit std::mutex files_mutex;
constinit std::atomic<ShrinkGuard::Range*> ranges{nullptr};
constinit bool is_installed = false;
struct sigaction before;

// The end of the guarded range that holds the address; 0: none does.
std::uintptr_t guarded_end(std::uintptr_t address) noexcept {
  for (auto* range = ranges.load(std::memory_order_acquire); range != nullptr;
       range = range->next) {
    const std::uintptr_t end = range->end.load(std::memory_order_acquire);
    if (address < end && address >= range->begin.load(std::memory_order_relaxed)) return end;
  }
  return 0;
}

// Puts zeros where the file has ended; false where that is not what happened.
bool mend(const siginfo_t& info) noexcept {
  if (info.si_code != BUS_ADRERR) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  const std::uintptr_t end = guarded_end(address);
  if (end == 0) return false;
  const std::uintptr_t page = address & ~(std::uintptr_t{page_size()} - 1);
  return ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

void on_bus_error(int signal, siginfo_t* info, void* machine_context) {
  const int saved_errno = errno;
  if (!mend(*info)) {
    if ((before.sa_flags & SA_SIGINFO) != 0) {
      before.sa_sigaction(signal, info, machine_context);
    } else if (before.sa_handler == SIG_DFL) {
      // The instruction runs again and ends the process as it would have without us.
      sigaction(signal, &before, nullptr);
      if (info->si_code <= 0) raise(signal);
    } else if (before.sa_handler != SIG_IGN) {
      before.sa_handler(signal);
    }
  }
  errno = saved_errno;
}

void install() {
  if (std::exchange(is_installed, true)) return;
  struct sigaction ours{};
  ours.sa_sigaction = &on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGBUS, &ours, &before);
}

ShrinkGuard::Range* free_range() {
  for (auto* range = ranges.load(); range != nullptr; range = range->next) {
    if (!std::exchange(range->is_used, true)) return range;
  }
  auto* const range = new ShrinkGuard::Range;
  range->next = ranges.load();
  ranges.store(range, std::memory_order_release);
  return range;
}

}  // namespace

ShrinkGuard::ShrinkGuard(std::byte* begin, std::size_t bytes) {
  page_size();  // known from here on, also in the handler
  const std::lock_guard lock(files_mutex);
  range_ = free_range();
  range_->begin.store(reinterpret_cast<std::uintptr_t>(begin), std::memory_order_relaxed);
  range_->end.store(reinterpret_cast<std::uintptr_t>(begin + bytes), std::memory_order_release);
  install();
}

ShrinkGuard::ShrinkGuard(ShrinkGuard&& other) noexcept
    : range_(std::exchange(other.range_, nullptr)) {}

ShrinkGuard& ShrinkGuard::operator=(ShrinkGuard&& other) noexcept {
  std::swap(range_, other.range_);
  return *this;
}

ShrinkGuard::~ShrinkGuard() {
  if (range_ == nullptr) return;
  const std::lock_guard lock(files_mutex);
  range_->end.store(0, std::memory_order_release);
  range_->is_used = false;
}

}  // namespace grappa::internal
