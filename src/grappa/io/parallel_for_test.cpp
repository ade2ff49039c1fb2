#include "grappa/io/parallel_for.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "tests/support/files.hpp"

namespace grappa::io {
namespace {

TEST(ParallelFor, RangesCoverEveryIndexOnce) {
  for (const ParallelFor& parallel : {serial_for(), backwards_for(), threaded_for()}) {
    for (const std::int64_t n : {0, 1, 6, 7, 8, 100}) {
      std::vector<std::atomic<int>> touched(static_cast<std::size_t>(n));
      for_ranges(parallel, n, 7, [&](std::int64_t begin, std::int64_t end) {
        EXPECT_LE(end - begin, 7);
        for (std::int64_t i = begin; i < end; ++i) ++touched[static_cast<std::size_t>(i)];
      });
      for (const auto& count : touched) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ParallelFor, RethrowsWhatTheLowestIndexThrew) {
  for (const ParallelFor& parallel : {serial_for(), backwards_for(), threaded_for()}) {
    try {
      for_parts(parallel, 50, [](std::int64_t i) {
        if (i >= 17) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "17");
    }
  }
}

}  // namespace
}  // namespace grappa::io
