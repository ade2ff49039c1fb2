#pragma once

// A function and all that it causes, as one piece of work.
//
//   if (const std::exception_ptr failure = call_whole(body, argument)) …
//
// Work that the function spawns belongs to it unless an event is named, and is waited for. Called
// by a task; switches tasks.

#include <exception>

namespace grappa::internal {

/// Runs body(argument) and waits for what it causes. What the function throws is returned as it is;
/// what only its tasks throw, as RemoteError.
std::exception_ptr call_whole(void (*body)(void*), void* argument);

}  // namespace grappa::internal
