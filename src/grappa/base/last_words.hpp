#pragma once

// How a process that ends says why: in one line to people, and to the other processes of its job.
//
//   set_last_words_teller(&tell);                      // by whoever can reach the others
//   write_last_line({"grappa: fatal: ", message});
//   tell_last_words(message, 1);
//   exit_at_once(1);
//
//   const EndHook hook(&save, this);                   // by whoever has something to save
//
// Thread and task safety: all functions may be called from anywhere, signal handlers included;
// none allocates. Speaking takes a second at most, whatever has happened to whom it is spoken to.

#include <initializer_list>
#include <string_view>

namespace grappa {

// Passes on why this process ends, and the status with which it does. Must be safe in a signal
// handler.
using LastWordsTeller = void (*)(std::string_view words, int status) noexcept;

// Null: there is nobody to tell.
void set_last_words_teller(LastWordsTeller teller) noexcept;

void tell_last_words(std::string_view words, int status) noexcept;

// Writes the parts (at most 6) and a line break to standard error in one call. Where nobody takes
// them, which is so under a launcher that hangs, they are lost and the process ends nevertheless.
void write_last_line(std::initializer_list<std::string_view> parts) noexcept;

// Something that is called when the process ends by exit_at_once while the object lives. The
// function must be safe in a signal handler, and must come to an end.
class EndHook {
 public:
  using Function = void (*)(void* argument) noexcept;
  // There is room for 8 at a time; others are never called.
  EndHook(Function function, void* argument) noexcept;
  // Does not return when the process is ending: what the function uses lives as long as that takes.
  ~EndHook();
  EndHook(const EndHook&) = delete;
  EndHook& operator=(const EndHook&) = delete;

 private:
  int slot_ = -1;
};

// Calls the hooks and ends the process without anything else that belongs to an orderly end. When
// several threads want to, the first one does.
[[noreturn]] void exit_at_once(int status) noexcept;

}  // namespace grappa
