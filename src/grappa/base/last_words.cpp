#include "grappa/base/last_words.hpp"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

namespace grappa {
namespace {

constexpr int kPatienceMs = 1000;
constexpr std::size_t kMaxParts = 6;

// One for the process, as its end is.
constinit std::atomic<LastWordsTeller> teller{nullptr};

}  // namespace

void set_last_words_teller(LastWordsTeller who) noexcept {
  teller.store(who, std::memory_order_release);
}

void tell_last_words(std::string_view words, int status) noexcept {
  if (const LastWordsTeller tell = teller.load(std::memory_order_acquire)) tell(words, status);
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

}  // namespace grappa
