#pragma once

// all_gather: what every locale has to say, on all of them.
//
//   const std::vector<int> counts = all_gather(exchange, mine);    // [locales]
//
// A superstep (parallel/exchange.hpp): every locale calls it equally often, on its first core. It
// switches tasks. Values are such that to_bytes() takes them.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "grappa/base/serialize.hpp"
#include "grappa/parallel/exchange.hpp"

namespace grappa::query {

template <class T>
std::vector<T> all_gather(const Exchange& exchange, const T& mine) {
  const std::vector<std::byte> bytes = to_bytes(mine);
  for (int to = 0; to < locale_count(); ++to) {
    if (to == this_locale()) continue;
    exchange.add_all(to, std::span(bytes));
  }
  std::vector<T> all;
  const auto take = [&](std::span<const std::byte> theirs) {
    if (static_cast<int>(all.size()) == this_locale()) all.push_back(mine);
    all.push_back(from_bytes<T>(theirs));
  };
  exchange.end_superstep<std::byte>(0, take, [](int, int) { return 0; });
  if (static_cast<int>(all.size()) == this_locale()) all.push_back(mine);
  return all;
}

}  // namespace grappa::query
