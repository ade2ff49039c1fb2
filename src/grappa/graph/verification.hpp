#pragma once

// What a verifier found.

#include <string>

namespace grappa::graph {

struct Verification {
  std::string failure;  // the first property that does not hold, and where; empty: all hold
  std::string checked;  // for people: the properties that hold

  bool passed() const { return failure.empty(); }
};

}  // namespace grappa::graph
