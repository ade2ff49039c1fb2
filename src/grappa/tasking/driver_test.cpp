#include "grappa/tasking/driver.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "grappa/tasking/test_locale.hpp"

namespace grappa::internal {
namespace {

/// Something arrives at the poll with this number since the driver has said that it is quiet.
class LateArrival final : public QuietPump {
 public:
  LateArrival(const Driver& driver, int polls, std::function<void()> arrive)
      : driver_(driver), polls_left_(polls), arrive_(std::move(arrive)) {}

  bool must_poll() const override { return true; }
  bool poll() override {
    if (polls_left_ == 0 || !driver_.quiet().quiet || --polls_left_ > 0) return false;
    arrive_();
    return true;
  }

 private:
  const Driver& driver_;
  int polls_left_;
  std::function<void()> arrive_;
};

// A process that looks quiet while a task keeps its core would take part in the vote that the job
// is deadlocked.
TEST(DriverTest, ATaskThatAnArrivalWakesNeverRunsInAQuietProcess) {
  for (int polls = 1; polls <= 50; ++polls) {
    Config config = tasking_test_config();
    config.spin_ns = 0;
    TestLocale locale(1, config);
    Driver driver({&locale.locale()}, 1, {}, nullptr);
    TestEvent event(locale.core(0));
    bool quiet = true;
    LateArrival pump(driver, polls, [&] {
      locale.ledger(0).add(event.share);
      locale.scheduler(0).push_private(make_task(
          [&] {
            quiet = driver.quiet().quiet;
            driver.stop();
          },
          &event.share));
    });
    locale.core(0).pump = &pump;
    driver.run();
    EXPECT_FALSE(quiet) << "at poll " << polls;
  }
}

}  // namespace
}  // namespace grappa::internal
