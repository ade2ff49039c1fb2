#pragma once

// A range of things that lie one after the other in several files.
//
//   each_slice(files, [](const auto& file) { return file.rows; }, begin, end,
//              [](const auto& file, std::int64_t before, std::int64_t from, std::int64_t to) {
//                use(file, before, from, to);
//              });

#include <algorithm>
#include <cstdint>

namespace grappa::mapreduce::detail {

/// f(file, before, from, to) for each file that has some of [begin, end) of what all of them have:
/// [from, to) of its own, which come behind the `before` of the files before it.
template <class Files, class CountOf, class F>
void each_slice(const Files& files, const CountOf& count_of, std::int64_t begin, std::int64_t end,
                const F& f) {
  std::int64_t before = 0;
  for (const auto& file : files) {
    const std::int64_t count = count_of(file);
    const std::int64_t from = std::clamp(begin - before, std::int64_t{0}, count);
    const std::int64_t to = std::clamp(end - before, std::int64_t{0}, count);
    if (from < to) f(file, before, from, to);
    before += count;
  }
}

}  // namespace grappa::mapreduce::detail
