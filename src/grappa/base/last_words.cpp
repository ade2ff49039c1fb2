#include "grappa/base/last_words.hpp"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

namespace grappa::internal {
namespace {

constexpr int kPatienceMs = 1000;
constexpr int kLingerMs = 100;
constexpr std::size_t kMaxParts = 6;
constexpr unsigned kPatienceSeconds = 10;  // with another thread that ends the process

// One for the process, as its end is.
constinit std::atomic<LastWordsTeller> teller{nullptr};

struct Hook {
  std::atomic<bool> taken{false};
  std::atomic<EndHook::Function> function{nullptr};
  void* argument = nullptr;
};
constinit std::array<Hook, 8> hooks{};
constinit std::atomic<bool> ending{false};

}  // namespace

void set_last_words_teller(LastWordsTeller who) noexcept {
  teller.store(who, std::memory_order_release);
}

void tell_last_words(std::string_view words, int status) noexcept {
  if (const LastWordsTeller tell = teller.load(std::memory_order_acquire)) tell(words, status);
}

void linger() noexcept {
  if (teller.load(std::memory_order_acquire) != nullptr) poll(nullptr, 0, kLingerMs);
}

void write_last_line(std::initializer_list<std::string_view> parts) noexcept {
  pollfd standard_error{STDERR_FILENO, POLLOUT, 0};
  if (poll(&standard_error, 1, kPatienceMs) <= 0) return;
  // writev wants mutable memory in its type only.
  std::array<iovec, kMaxParts + 1> pieces{};
  std::size_t count = 0;
  for (const std::string_view part : parts) {
    if (count == kMaxParts) break;
    pieces[count++] = {const_cast<char*>(part.data()), part.size()};
  }
  pieces[count++] = {const_cast<char*>("\n"), 1};
  [[maybe_unused]] const ssize_t written =
      writev(STDERR_FILENO, pieces.data(), static_cast<int>(count));
}

EndHook::EndHook(Function function, void* argument) noexcept {
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (hooks[i].taken.exchange(true)) continue;
    hooks[i].argument = argument;
    hooks[i].function.store(function);
    slot_ = static_cast<int>(i);
    return;
  }
}

EndHook::~EndHook() {
  if (slot_ < 0) return;
  Hook& hook = hooks[static_cast<std::size_t>(slot_)];
  hook.function.store(nullptr);
  // Whoever ends the process says so before it looks at the hooks, and may be in this one.
  while (ending.load()) pause();
  hook.taken.store(false);
}

void leave_end_to_others(int status) noexcept {
  sleep(kPatienceSeconds);
  _exit(status);
}

void exit_at_once(int status) noexcept {
  if (ending.exchange(true)) leave_end_to_others(status);
  for (const Hook& hook : hooks) {
    if (const EndHook::Function function = hook.function.load()) function(hook.argument);
  }
  linger();
  _exit(status);
}

}  // namespace grappa::internal
