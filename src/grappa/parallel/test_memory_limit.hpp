#pragma once

// For tests: a machine whose memory is used up.
//
//   test::use_up_memory();                 // on this locale: nothing that is asked for is there
//   EXPECT_THAT(test::usage_error_of([&] { stack.push(1); }), HasSubstr("GlobalStack: "));
//   test::free_up_memory();

#include <cstdint>
#include <string>

#include "grappa/base/error.hpp"
#include "grappa/memory/locale_memory.hpp"

namespace grappa::test {

/// As if more than any machine has had been allocated, and not touched yet.
inline void use_up_memory() {
  internal::here().locale.memory->unchecked_bytes() = std::uint64_t{1} << 62;
}
inline void free_up_memory() { internal::here().locale.memory->unchecked_bytes() = 0; }

/// What f() throws, if that is a UsageError of this core or another one.
template <class F>
std::string usage_error_of(const F& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what();
  } catch (const RemoteError& error) {
    if (error.type_name() == "grappa::UsageError") return error.message();
    throw;
  }
  return "";
}

}  // namespace grappa::test
