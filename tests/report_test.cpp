// What a run says while it goes on: the report on SIGUSR1, and the names of tasks that hog a core.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include "grappa/base/external_wait.hpp"
#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/tasking/report_signal.hpp"

namespace grappa {
namespace {

using std::chrono::milliseconds;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr auto kPatience = std::chrono::seconds(60);

/// Keeps what is written to standard error while it lives.
class StandardError {
 public:
  StandardError() : before_(dup(STDERR_FILENO)), file_(std::tmpfile()) {
    dup2(fileno(file_), STDERR_FILENO);
    current = this;
  }
  ~StandardError() {
    current = nullptr;
    dup2(before_, STDERR_FILENO);
    close(before_);
    std::fclose(file_);
  }

  /// The one that lives, for tasks that travel.
  static inline const StandardError* current = nullptr;

  std::string text() const {
    std::string text;
    std::array<char, 4096> piece;
    for (;;) {
      const ssize_t got =
          pread(fileno(file_), piece.data(), piece.size(), static_cast<off_t>(text.size()));
      if (got <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

  int count(const std::string& words) const {
    const std::string all = text();
    int found = 0;
    for (std::size_t at = all.find(words); at != std::string::npos; at = all.find(words, at + 1))
      ++found;
    return found;
  }

  /// Calls pause() until `words` have been written so often.
  template <class Pause>
  void wait_for(const std::string& words, int times, const Pause& pause) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (count(words) < times && std::chrono::steady_clock::now() < end) pause();
    EXPECT_GE(count(words), times) << text();
  }

 private:
  int before_;
  std::FILE* file_;
};

void nap() { sleep_for(1'000'000); }

/// Keeps the core, as a long loop would.
template <class Until>
void hog(const Until& until) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!until() && std::chrono::steady_clock::now() < end) {
  }
}

void hog_for(milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  hog([end] { return std::chrono::steady_clock::now() >= end; });
}

// ---- the report

struct ReportTest : test::OnMachines {};
GRAPPA_ON(ReportTest,
          testing::Values(test::Machine{"OneCore", test::threads(1)},
                          test::Machine{"TwoCores", test::threads(2)},
                          test::Machine{"FourLocales", test::cluster(4)},
                          test::Machine{"FourDeterministicLocales", test::deterministic(4)}));

constexpr std::int64_t kReaders = 10;

struct Words {
  FullEmpty<std::int64_t> value;
  std::int64_t begun = 0;
};

struct ReadWord {
  SymmetricAddress<Words> words;
  SymmetricAddress<std::int64_t> sum;
  void operator()() const {
    ++words.local().begun;
    sum.local() += words.local().value.read_ff();
  }
};

TEST_P(ReportTest, NamesEachKindOfSuspendedTaskOnEveryCoreAndTheRunGoesOn) {
  const StandardError error;
  std::int64_t total = 0;
  run(config(), [&] {
    const auto words = symmetric_alloc<Words>();
    const auto sum = symmetric_alloc<std::int64_t>();
    CompletionEvent done;
    for (int core = 0; core < core_count(); ++core) {
      for (std::int64_t i = 0; i < kReaders; ++i) spawn_on(done, core, ReadWord{words, sum});
    }
    for (int core = 0; core < core_count(); ++core) {
      while (delegate::call(core, [words] { return words.local().begun; }) < kReaders) nap();
    }
    kill(getpid(), SIGUSR1);
    error.wait_for("report of process", 1, nap);
    for (int core = 0; core < core_count(); ++core) {
      delegate::call(core, [words] { words.local().value.write_ef(7); });
    }
    done.wait();
    for (int core = 0; core < core_count(); ++core)
      total += delegate::call(core, [sum] { return sum.local(); });
  });
  const int cores = config().cores * config().locales;
  EXPECT_EQ(total, 7 * kReaders * cores);
  EXPECT_EQ(error.count("report of process"), 1);
  EXPECT_EQ(error.count("\n"), error.count("grappa: ")) << error.text();
  for (int core = 0; core < cores; ++core) {
    EXPECT_THAT(error.text(),
                ContainsRegex("core " + std::to_string(core) +
                              ": tasks: [0-9]+ ready, 0 not begun, 1[0-2] suspended"));
    EXPECT_THAT(error.text(),
                ContainsRegex("core " + std::to_string(core) +
                              ": 10 tasks of .*ReadWord wait for a full word, the oldest for about "
                              "[0-9]+\\.[0-9] s\n"));
  }
}

TEST_P(ReportTest, NamesTheTaskThatKeepsACoreFromTelling) {
  const StandardError error;
  run(config(), [&] {
    kill(getpid(), SIGUSR1);
    hog([&] { return error.count("report of process") > 0; });
  });
  EXPECT_THAT(error.text(),
              ContainsRegex("core 0: runs task main \\([^)]*report_test.cpp:[0-9]+\\), "
                            "and has not paused"));
  EXPECT_EQ(error.count("task main ("), 1) << error.text();
}

Coroutine<> wait_for_word(FullEmpty<std::int64_t>* word) { co_await co::read_ff(*word); }

TEST(Report, NamesCoroutines) {
  const StandardError error;
  run(test::threads(1), [&] {
    FullEmpty<std::int64_t> word;
    CompletionEvent done;
    for (int i = 0; i < 3; ++i) spawn(done, wait_for_word(&word));
    nap();
    kill(getpid(), SIGUSR1);
    error.wait_for("report of process", 1, nap);
    word.write_ef(1);
    done.wait();
  });
  EXPECT_THAT(error.text(), ContainsRegex("3 coroutines .*wait_for_word.* wait for a full word"));
}

TEST(Report, TellsHowLongTheyHaveWaited) {
  Config config = test::deterministic(1);
  const StandardError error;
  run(config, [&] {
    FullEmpty<int> word;
    CompletionEvent done;
    spawn(done, [&word] { word.read_ff(); });
    sleep_for(90'000'000'000);  // on the virtual clock
    kill(getpid(), SIGUSR1);
    error.wait_for("report of process", 1, yield);
    word.write_ef(1);
    done.wait();
  });
  EXPECT_THAT(error.text(), ContainsRegex("waits for a full word, for about 9[01]\\.[0-9] s"));
}

TEST(Report, ParkedCoresWakeToTell) {
  const StandardError error;
  Config config = test::threads(2);
  config.spin_ns = 0;
  run(config, [&] {
    sleep_for(50'000'000);
    kill(getpid(), SIGUSR1);
    error.wait_for("report of process", 1, nap);
  });
  EXPECT_THAT(error.text(), HasSubstr("core 1: tasks: 0 ready, 0 not begun, 0 suspended"));
}

// A launcher may send the signal to a process that has been told by another one already.
TEST(Report, ManySignalsAreOneReport) {
  const StandardError error;
  run(test::threads(1), [&] {
    for (int i = 0; i < 100; ++i) kill(getpid(), SIGUSR1);
    error.wait_for("report of process", 1, nap);
    for (int i = 0; i < 100; ++i) kill(getpid(), SIGUSR1);
    sleep_for(100'000'000);
  });
  EXPECT_EQ(error.count("report of process"), 1) << error.text();
}

TEST(Report, ALaterSignalIsAnotherReport) {
  const StandardError error;
  run(test::threads(1), [&] {
    kill(getpid(), SIGUSR1);
    error.wait_for("report of process", 1, nap);
    sleep_for(1'100'000'000);
    kill(getpid(), SIGUSR1);
    error.wait_for("report of process", 2, nap);
  });
}

void (*handler_now())(int) {
  struct sigaction now{};
  sigaction(SIGUSR1, nullptr, &now);
  return now.sa_handler;
}

volatile sig_atomic_t handled = 0;
void count_signal(int) { handled = handled + 1; }

TEST(ReportSignal, AHandlerOfTheProgramStays) {
  const StandardError error;
  signal(SIGUSR1, &count_signal);
  run(test::threads(1), [] { kill(getpid(), SIGUSR1); });
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(handler_now(), &count_signal);
  EXPECT_EQ(error.text(), "");
  signal(SIGUSR1, SIG_DFL);
}

TEST(ReportSignal, IsTheProgramsAgainAfterTheRun) {
  ASSERT_EQ(handler_now(), SIG_DFL);
  run(test::threads(1), [] { EXPECT_NE(handler_now(), SIG_DFL); });
  EXPECT_EQ(handler_now(), SIG_DFL);
}

TEST(ReportSignal, OutsideARunSaysThatThereIsNone) {
  const StandardError error;
  {
    const internal::ReportSignal signal;
    run(test::threads(1), [] {});
    kill(getpid(), SIGUSR1);
  }
  EXPECT_THAT(error.text(), ContainsRegex("^grappa: SIGUSR1: no run is going on[^\n]*\n$"));
}

// ---- the stall detector

constexpr milliseconds kStall(100);
const std::string kWarning = "without a pause";

Config with_stall(Config config, milliseconds stall) {
  config.stall_ns = static_cast<std::uint64_t>(stall.count()) * 1'000'000;
  return config;
}

struct Hog {
  int times;
  void operator()() const {
    hog([this] { return StandardError::current->count(kWarning) >= times; });
    hog_for(3 * kStall);  // it is named once for the stretch
  }
};

TEST(StallDetector, NamesATaskThatHogsItsCoreOnceForEachStretch) {
  const StandardError error;
  run(with_stall(test::threads(2), kStall), [&] {
    CompletionEvent done;
    spawn_on(done, 1, Hog{1});
    done.wait();
    EXPECT_EQ(error.count(kWarning), 1) << error.text();
    spawn_on(done, 1, Hog{2});
    done.wait();
  });
  EXPECT_EQ(error.count(kWarning), 2) << error.text();
  EXPECT_EQ(error.count("core 1 has run task grappa::(anonymous namespace)::Hog for 0."), 2)
      << error.text();
}

struct HogAfterRest {
  void operator()() const {
    sleep_for(10'000'000);
    Hog{1}();
  }
};
struct Sleep {
  void operator()() const { sleep_for(5'000'000); }
};

TEST(StallDetector, NamesATaskThatHasResumedAndNotTheOneThatBeganLast) {
  const StandardError error;
  run(with_stall(test::threads(1), kStall), [&] {
    CompletionEvent done;
    spawn(done, HogAfterRest{});
    for (int i = 0; i < 10; ++i) spawn(done, Sleep{});
    done.wait();
  });
  EXPECT_EQ(error.count(kWarning), 1) << error.text();
  EXPECT_THAT(error.text(), HasSubstr("HogAfterRest for 0."));
}

TEST(StallDetector, NamesTheMainTaskThatLoops) {
  const StandardError error;
  const int line = __LINE__ + 1;
  run(with_stall(test::threads(1), kStall), [&] {
    yield();
    Hog{1}();
  });
  EXPECT_THAT(error.text(), ContainsRegex("core 0 has run task main \\([^)]*report_test.cpp:" +
                                          std::to_string(line) + "\\) for 0."));
}

struct Start {
  const char* name;
  int (*start)();  // at which line
};
const Start kStarts[] = {
    {"spawn",
     [] {
       CompletionEvent done;
       spawn(done, [] { Hog{1}(); });
       done.wait();
       return __LINE__ - 2;
     }},
    {"spawn_public",
     [] {
       CompletionEvent done;
       spawn_public(done, [] { Hog{1}(); });
       done.wait();
       return __LINE__ - 2;
     }},
    {"spawn_on",
     [] {
       CompletionEvent done;
       spawn_on(done, core_count() - 1, [] { Hog{1}(); });
       done.wait();
       return __LINE__ - 2;
     }},
    {"on_all_cores",
     [] {
       on_all_cores([] { Hog{1}(); });
       return __LINE__ - 1;
     }},
    {"forall",
     [] {
       forall(1, [](std::int64_t) { Hog{1}(); });
       return __LINE__ - 1;
     }},
    {"forall over elements",
     [] {
       const auto words = global_alloc<std::int64_t>(1);
       forall(words, 1, [](std::int64_t&) { Hog{1}(); });
       global_free(words);
       return __LINE__ - 2;
     }},
    {"GlobalArray::forall",
     [] {
       auto words = GlobalArray<std::int64_t>::create(1);
       words.forall([](std::int64_t&) { Hog{1}(); });
       words.destroy();
       return __LINE__ - 2;
     }},
};

TEST(StallDetector, NamesALambdaByTheLineThatStartedIt) {
  for (const Start& start : kStarts) {
    SCOPED_TRACE(start.name);
    const StandardError error;
    int line = 0;
    run(with_stall(test::threads(1), kStall), [&] { line = start.start(); });
    EXPECT_THAT(error.text(), ContainsRegex("core 0 has run task tests/report_test.cpp:" +
                                            std::to_string(line) + " for 0."));
  }
}

TEST(StallDetector, NamesLocksOfTheSystemAsAReason) {
  const StandardError error;
  run(with_stall(test::threads(1), kStall), [&] {
    std::mutex mutex;
    std::atomic<bool> held = false;
    std::thread other([&] {
      const std::lock_guard lock(mutex);
      held = true;
      error.wait_for(kWarning, 1, [] { std::this_thread::sleep_for(milliseconds(1)); });
    });
    while (!held) yield();
    {
      const std::lock_guard lock(mutex);
    }
    other.join();
  });
  EXPECT_THAT(error.text(), HasSubstr("use grappa::Mutex instead of std::mutex"));
}

TEST(StallDetector, DoesNotNameATaskThatWaitsForWhatIsOutside) {
  const StandardError error;
  run(with_stall(test::threads(1), kStall), [&] {
    {
      const internal::ExternalWait wait;
      std::this_thread::sleep_for(5 * kStall);
    }
    EXPECT_EQ(error.count(kWarning), 0) << error.text();
    Hog{1}();
  });
  EXPECT_EQ(error.count(kWarning), 1) << error.text();
}

TEST(StallDetector, NamesTheOneOfSeveralCoresOnAThread) {
  const StandardError error;
  run(with_stall(test::cluster(8), kStall), [&] {
    CompletionEvent done;
    spawn_on(done, 5, Hog{1});
    done.wait();
  });
  EXPECT_THAT(error.text(), HasSubstr("core 5 has run task"));
  EXPECT_EQ(error.count(kWarning), 1) << error.text();
}

TEST(StallDetector, IsSilentWhereCoresParkOrPass) {
  const StandardError error;
  run(with_stall(test::threads(2), milliseconds(500)), [&] {
    sleep_for(1'200'000'000);  // both park
    const auto end = std::chrono::steady_clock::now() + milliseconds(1200);
    while (std::chrono::steady_clock::now() < end) yield();
  });
  EXPECT_EQ(error.text(), "");
}

TEST(StallDetector, IsSilentWhenItIsOff) {
  const StandardError error;
  run(with_stall(test::threads(1), milliseconds(0)), [] { hog_for(milliseconds(300)); });
  EXPECT_EQ(error.text(), "");
}

}  // namespace
}  // namespace grappa
