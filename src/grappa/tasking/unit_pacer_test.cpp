#include "grappa/tasking/unit_pacer.hpp"

#include <gtest/gtest.h>

namespace grappa::internal {
namespace {

int units_until_poll(UnitPacer& pacer) {
  int units = 1;
  while (!pacer.unit_is_last()) ++units;
  return units;
}

TEST(UnitPacer, TakesFewerUnitsWhenTheyAreLong) {
  UnitPacer pacer;
  std::uint64_t now = 1;
  EXPECT_EQ(units_until_poll(pacer), UnitPacer::kMaxUnits);
  for (const int expected : {16, 8, 4, 2, 1, 1}) {
    pacer.adapt(now += 1'000'000);
    pacer.renew();
    EXPECT_EQ(units_until_poll(pacer), expected);
  }
  for (const int expected : {2, 4, 8, 16, 32, 32}) {
    pacer.adapt(now += 1000);
    pacer.renew();
    EXPECT_EQ(units_until_poll(pacer), expected);
  }
}

TEST(UnitPacer, KeepsItsPaceWithoutAClock) {
  UnitPacer pacer;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(units_until_poll(pacer), UnitPacer::kMaxUnits);
    pacer.renew();
  }
}

}  // namespace
}  // namespace grappa::internal
