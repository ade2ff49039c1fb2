#pragma once

// What a verifier found.
//
//   Verification v = verify(graph, source, result);
//   if (!v.passed()) internal::log_warning("{}", v.failure);
//
// Verifiers are serial, independent of the kernels, and as simple as they can be; each .cpp begins
// with the properties that it asserts. Those that take a Graph bring it and the result to the
// calling locale first, unless there is only one.

#include <fmt/format.h>

#include <string>
#include <utility>

namespace grappa::graph {

class SerialGraph;  // grappa/graph/structure/internal/serial_graph.hpp

struct Verification {
  std::string failure;  // the first property that does not hold, and where; empty: all hold
  std::string checked;  // for people: the properties that hold

  bool passed() const { return failure.empty(); }

  template <class... Args>
  static Verification failed(fmt::format_string<Args...> format, Args&&... args) {
    return {.failure = fmt::format(format, std::forward<Args>(args)...), .checked = {}};
  }
};

}  // namespace grappa::graph
