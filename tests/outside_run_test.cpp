// What needs a run says so where there is none: outside a run, and on a thread of the program
// inside one.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <thread>

#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

GlobalAddress<int> somewhere() { return GlobalAddress<int>::linear(64); }

volatile int used = 0;
void use(int value) { used = value; }

struct Call {
  const char* name;
  void (*make)();
  friend std::ostream& operator<<(std::ostream& out, const Call& call) { return out << call.name; }
};

const Call kCalls[] = {
    {"ThisCore", [] { use(this_core()); }},
    {"CoreCount", [] { use(core_count()); }},
    {"LocaleOf", [] { use(locale_of(0)); }},
    {"RunTime", [] { run_time_ns(); }},
    {"Yield", [] { yield(); }},
    {"SleepFor", [] { sleep_for(1); }},
    {"GlobalAlloc", [] { global_alloc<int>(10); }},
    {"GlobalFree", [] { global_free(somewhere()); }},
    {"SymmetricAlloc", [] { symmetric_alloc<int>(); }},
    {"Read", [] { delegate::read(somewhere()); }},
    {"Write", [] { delegate::write(somewhere(), 1); }},
    {"FetchAdd", [] { delegate::fetch_add(somewhere(), 1); }},
    {"CallAtAnAddress", [] { delegate::call(somewhere(), [](int& x) { ++x; }); }},
    {"CallOnACore", [] { delegate::call(0, [] {}); }},
    {"AsyncIncrement", [] { delegate::async::increment(somewhere()); }},
    {"IssueRead", [] { static_cast<void>(delegate::issue_read(somewhere())); }},
    {"Forall", [] { forall(0, 10, [](std::int64_t) {}); }},
    {"ForallHere", [] { forall_here(0, 10, [](std::int64_t) {}); }},
    {"ForallElements", [] { forall(somewhere(), 10, [](int& x) { ++x; }); }},
    {"Spawn", [] { spawn([] {}); }},
    {"SpawnPublic", [] { spawn_public([] {}); }},
    {"SpawnOn", [] { spawn_on(0, [] {}); }},
    {"Barrier", [] { barrier(); }},
    {"AllReduce", [] { all_reduce(1, std::plus<>{}); }},
    {"ReduceCores", [] { reduce_cores([] { return 1; }, 0, std::plus<>{}); }},
    {"GlobalArrayCreate", [] { static_cast<void>(GlobalArray<int>::create(10)); }},
    {"GlobalArrayDestroy", [] { GlobalArray<int>().destroy(); }},
    {"GlobalHashMapCreate", [] { static_cast<void>(GlobalHashMap<int, int>::create()); }},
    {"ReplicaCreate", [] { static_cast<void>(Replica<int>::create(10)); }},
};

class OutsideRunDeathTest : public testing::TestWithParam<Call> {
 protected:
  OutsideRunDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  static constexpr const char* kMessage =
      "^grappa: fatal: Grappa was called outside a run, or on a thread that is not one of its "
      "cores: call it in the function given to grappa::run[^\n]*\n$";
};
INSTANTIATE_TEST_SUITE_P(On, OutsideRunDeathTest, testing::ValuesIn(kCalls),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(OutsideRunDeathTest, IsSaidInOneLine) {
  EXPECT_EXIT(GetParam().make(), testing::ExitedWithCode(1), kMessage);
}

TEST_P(OutsideRunDeathTest, IsSaidOnAThreadOfTheProgram) {
  EXPECT_EXIT(run(test::threads(1), [] { std::thread(GetParam().make).join(); }),
              testing::ExitedWithCode(1), kMessage);
}

TEST_P(OutsideRunDeathTest, IsSaidAfterARun) {
  run(test::threads(1), [] {});
  EXPECT_EXIT(GetParam().make(), testing::ExitedWithCode(1), kMessage);
}

// What throws there instead ends the program in the same way, also before its first run.
TEST(OutsideRunErrorsDeathTest, AreLinesThatNobodyHasToCatch) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr auto kLine = "^grappa: fatal: grappa::UsageError: [^\n]*\n$";
  const auto make_event = []() noexcept { const CompletionEvent event; };
  const auto write_a_word = []() noexcept {
    FullEmpty<int> word;
    word.write_ef(3);
  };
  const auto set_option_wrongly = []() noexcept {
    Config config;
    set_option(config, "bogus", "1");
  };
  const auto read_environment = []() noexcept {
    setenv("GRAPPA_CORES", "x", 1);
    use(Config{}.with_environment().cores);
  };
  const auto follow_null = []() noexcept { use(*GlobalAddress<int>().pointer()); };
  EXPECT_EXIT(make_event(), testing::ExitedWithCode(2), kLine);
  EXPECT_EXIT(write_a_word(), testing::ExitedWithCode(2), kLine);
  EXPECT_EXIT(set_option_wrongly(), testing::ExitedWithCode(2), kLine);
  EXPECT_EXIT(read_environment(), testing::ExitedWithCode(2), kLine);
  EXPECT_EXIT(follow_null(), testing::ExitedWithCode(2), kLine);
}

}  // namespace
}  // namespace grappa
