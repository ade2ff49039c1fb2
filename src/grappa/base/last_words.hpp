#pragma once

// How a process that ends says why: in one line to people, and to the other processes of its job.
//
//   set_last_words_teller(&tell);                      // by whoever can reach the others
//   write_last_line({"grappa: fatal: ", message});
//   tell_last_words(message, 1);
//   _exit(1);
//
// Thread and task safety: all functions may be called from anywhere, signal handlers included;
// none allocates. They take a second at most, whatever has happened to whom they speak to.

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

}  // namespace grappa
