#pragma once

// What edges('g.mtx', directed = true) says of a graph's file besides its name.

#include <optional>
#include <string>

namespace grappa::query {

struct GraphFile {
  std::string format{};            // empty: its name tells
  std::optional<bool> directed{};  // otherwise than the file says

  bool operator==(const GraphFile&) const = default;
};

}  // namespace grappa::query
