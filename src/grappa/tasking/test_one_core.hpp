#pragma once

// For tests: a fixture with the cores of a locale on a virtual clock, of which the test drives core
// 0 by hand.

#include <gtest/gtest.h>

#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/tasking/test_locale.hpp"

namespace grappa::internal {

class DrivenByHand : public testing::Test {
 protected:
  explicit DrivenByHand(int cores = 1, const Config& config = tasking_test_config())
      : locale_(cores, config) {
    locale_.locale().virtual_clock = &clock_;
    locale_.enter(0);
  }

  /// Tasks of `event_`.
  template <class F>
  void spawn(const F& f) {
    locale_.ledger(0).add(event_.share);
    scheduler().push_private(make_task(f, &event_.share));
  }
  template <class F>
  void spawn_public(const F& f) {
    locale_.ledger(0).add(event_.share);
    scheduler().push_public(make_task(f, &event_.share));
  }

  Scheduler& scheduler() { return locale_.scheduler(0); }

  /// Until there is nothing to do.
  void drain() {
    while (scheduler().step()) {
    }
  }

  VirtualClock clock_;
  TestLocale locale_;
  TestEvent event_{locale_.core(0)};
  std::vector<int> log_;
};

}  // namespace grappa::internal
