#pragma once

// What a verifier found.
//
//   if (Verification v = verify(graph, source, bfs_result); !v.passed()) complain(v.failure);
//
// Verifiers are serial, independent of the kernels, and as simple as they can be; the properties
// that each asserts stand at the head of its .cpp. Those of a Graph bring it and the result to the
// calling locale (where it is already, on one locale).

#include <fmt/format.h>

#include <string>
#include <utility>

namespace grappa::graph {

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
