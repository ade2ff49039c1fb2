#include "grappa/parallel/cancellation.hpp"

#include <gtest/gtest.h>

#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

TEST(Cancellation, NothingIsCancelledOutsideOfARun) { EXPECT_FALSE(is_cancelled()); }

TEST(Cancellation, AllCoresEnd) {
  test::on_machines([] {
    std::atomic<bool> asked{false};
    Cancellation cancellation(asked);
    for (int round = 0; round < 3; ++round) {
      EXPECT_NO_THROW(on_all_cores([] { stop_if_cancelled(); }));
      asked = true;
      EXPECT_THROW(stop_if_cancelled(), Cancelled);
      on_all_cores([] {
        while (!is_cancelled()) yield();
        EXPECT_THROW(stop_if_cancelled(), Cancelled);
      });
      cancellation.clear();
      EXPECT_FALSE(asked);
    }
  });
}

TEST(Cancellation, EndsWithItsScope) {
  test::on_machines([] {
    std::atomic<bool> asked{false};
    {
      const Cancellation cancellation(asked);
      asked = true;
      on_all_cores([] {
        while (!is_cancelled()) yield();
      });
    }
    asked = true;
    on_all_cores([] { EXPECT_FALSE(is_cancelled()); });
  });
}

}  // namespace
}  // namespace grappa
