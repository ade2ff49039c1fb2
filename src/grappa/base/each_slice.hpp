#pragma once

// A range of things that lie in several lists, one list behind the other.
//
//   each_slice(lists.size(), first, last, [&](std::size_t i) { return std::ssize(lists[i]); },
//              [&](std::size_t i, std::int64_t before, std::int64_t from, std::int64_t to) {
//                use(lists[i], before, from, to);
//              });

#include <algorithm>
#include <cstddef>

namespace grappa::internal {

/// f(i, before, from, to) for each of `lists` lists that has some of [begin, end) of what all of
/// them have, the i-th size_of(i): [from, to) of its own, which come behind the `before` of the
/// lists before it.
template <class Int, class SizeOf, class F>
void each_slice(std::size_t lists, Int begin, Int end, const SizeOf& size_of, const F& f) {
  Int before = 0;
  for (std::size_t i = 0; i < lists; ++i) {
    const auto size = static_cast<Int>(size_of(i));
    const Int from = std::clamp(begin, before, before + size) - before;
    const Int to = std::clamp(end, before, before + size) - before;
    if (from < to) f(i, before, from, to);
    before += size;
  }
}

}  // namespace grappa::internal
