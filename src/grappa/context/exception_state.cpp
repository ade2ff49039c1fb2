#include "grappa/context/exception_state.hpp"

#include <cxxabi.h>

namespace grappa::internal {

// The Itanium C++ ABI (2.2.2) prescribes the layout of __cxa_eh_globals: the two fields of
// ExceptionState. The type itself is opaque in cxxabi.h.
ExceptionState& ExceptionState::of_this_thread() noexcept {
  return *reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
}

}  // namespace grappa::internal
