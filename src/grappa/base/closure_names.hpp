#pragma once

// What tasks are called in messages to people: a lambda by the file and line where it was started,
// "main.cpp:17", and other closures by their type.
//
//   auto hello = [] { … };
//   name_closure<decltype(hello)>(std::source_location::current());   // whoever starts it
//   use(closure_name(typeid(hello)));                                 // "main.cpp:17"
//
// A lambda has a type of its own, so its name is kept by type, once for the process, and tasks
// carry nothing. In a process that has not started it a lambda is called by its type, too.
//
// Thread safety: all functions may be called by any thread; closure_name_now in signal handlers.

#include <source_location>
#include <string>
#include <string_view>
#include <typeinfo>

namespace grappa::internal {

/// "main.cpp:17: ", before a message about what is there; nothing where the place is not known.
std::string place_prefix(const std::source_location* where);

std::string closure_name(const std::type_info& closure);

/// The same without allocating: the mangled name where none is kept. Stays valid.
const char* closure_name_now(const std::type_info& closure) noexcept;

/// Returns true.
bool keep_closure_name(const std::type_info& closure, std::string_view name);
bool keep_closure_name(const std::type_info& closure, const std::source_location& where);

/// Keeps the name of F, the first time.
template <class F>
void name_closure(const std::source_location& where) {
  static const bool kept = keep_closure_name(typeid(F), where);
  static_cast<void>(kept);
}

}  // namespace grappa::internal
