#pragma once

// For tests: messages that leave a number behind where they run.

#include <vector>

#include "grappa/message/message_type.hpp"

namespace grappa::internal {

using Log = std::vector<int>;

struct Note {
  Log* log;
  int value;
  void operator()(RunContext&) const { log->push_back(value); }
};

}  // namespace grappa::internal
