#pragma once

// How a process that ends says why: one line for people, and a message to the other processes of
// its job.
//
//   set_last_words_teller(&tell);                      // by whoever can reach the others
//   const EndHook hook(&save, &file);                  // by whoever has something to save
//
//   tell_last_words(message, 1);
//   write_last_line({"grappa: fatal: ", message});
//   exit_at_once(1);
//
// Thread and task safety: all functions may be called from anywhere, signal handlers included;
// none allocates. Telling takes a second at most, whatever has happened to those who are told.

#include <initializer_list>
#include <string_view>

namespace grappa::internal {

/// Passes on why this process ends, and the status with which it does. Must be safe in a signal
/// handler.
using LastWordsTeller = void (*)(std::string_view words, int status) noexcept;

/// Who tells the other processes; null when there are none.
void set_last_words_teller(LastWordsTeller teller) noexcept;

/// Tells the other processes why this one ends, if a teller is set. Does not return where that one
/// finds that a process is lost: it says so on standard error and ends this one.
void tell_last_words(std::string_view words, int status) noexcept;

/// Launchers kill the others as soon as they notice that a process has ended: gives them the time
/// to say why by themselves. Does nothing when there are none.
void linger() noexcept;

/// Writes the parts (at most 6) and a line break to standard error in one call. If nobody reads
/// them, as under a launcher that hangs, they are lost, and the process ends nevertheless.
void write_last_line(std::initializer_list<std::string_view> parts) noexcept;

/// A function that exit_at_once calls while this object lives. It must be safe in a signal handler,
/// and must return.
class EndHook {
 public:
  using Function = void (*)(void* argument) noexcept;
  /// There is room for 8 at a time; others are never called.
  EndHook(Function function, void* argument) noexcept;
  /// Does not return when the process is ending, so that what the function uses outlives the call.
  ~EndHook();
  EndHook(const EndHook&) = delete;
  EndHook& operator=(const EndHook&) = delete;

 private:
  int slot_ = -1;
};

/// For a thread that comes too late with its last words: waits until another one has ended the
/// process, or for ten seconds at most, and ends it then.
[[noreturn]] void leave_end_to_others(int status) noexcept;

/// Calls the hooks, lingers and ends the process: no destructors, no atexit handlers. If several
/// threads call it, the first one does it.
[[noreturn]] void exit_at_once(int status) noexcept;

}  // namespace grappa::internal
