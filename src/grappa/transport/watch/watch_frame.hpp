#pragma once

// What the processes of a job say to one another beside MPI.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace grappa::internal {

struct WatchFrame {
  enum class Kind : std::uint8_t {
    kHeartbeat,    // a RunReport
    kGoodbye,      // the number of steps that the sender has taken part in: it leaves
    kMet,          // to process 0: the sender has come to the meeting; from it: all have
    kVerdict,      // a Verdict: the job ends
    kDescribe,     // a question: what do your tasks wait for?
    kDescription,  // the answer: their number, and a text
    kReport,       // a request: tell people what your tasks wait for, and go on
  };
  Kind kind;
  std::string content;
};

/// How the run in a process stands, for the search for deadlocks.
struct RunReport {
  std::uint64_t run = 0;       // 0: there is none
  std::uint64_t wakes = 0;     // how often the process was quiet and found work again
  std::uint64_t sent = 0;      // packets
  std::uint64_t received = 0;  // packets
  std::uint64_t quiet = 0;     // 1: nothing can happen here until a packet arrives

  bool operator==(const RunReport&) const = default;
};

/// Why the job ends.
struct Verdict {
  int status = 1;       // of the processes
  bool silent = false;  // another process has told it to people already
  std::string text;
};

std::string to_bytes(WatchFrame::Kind kind, std::string_view content);

/// The longest content that is sent; longer ones are cut off.
inline constexpr std::size_t kMaxContent = 64 * 1024;

/// Takes a whole frame from the front of `received`. Nothing: more must come, or, when `malformed`
/// was set, what comes is no frame.
std::optional<WatchFrame> take_frame(std::string& received, bool& malformed);

std::string to_content(const Verdict& verdict);
Verdict to_verdict(std::string_view content);

/// Numbers as they lie in memory: all processes of a job run the same program.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::string to_content(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class T>
  requires std::is_trivially_copyable_v<T>
T from_content(std::string_view content) {
  T value{};
  std::memcpy(&value, content.data(), std::min(sizeof value, content.size()));
  return value;
}

}  // namespace grappa::internal
