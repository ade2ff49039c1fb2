// bench sync: what it costs tasks to wait for one another.
//
// On one core: full/empty words of both forms, mutex, semaphore, condition variable, barrier and
// completion event, as round trips between two tasks, as hand-overs among many that queue, and
// without anybody who waits. Between cores: the same words by delegates, and the barrier of all.
// Every trial is checked by what was handed over, or by what was counted.

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "cli/run_report.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

void require(bool right, const char* what) {
  if (!right) throw Error(fmt::format("bench sync, {}: a wait ended too early or too late", what));
}

// ---- full/empty words

using Pointer = internal::AlignedAddress<std::int64_t*>;
using Address = internal::AlignedAddress<GlobalAddress<std::int64_t>>;

template <class T>
T word_value(std::int64_t i) {
  if constexpr (std::is_same_v<T, Pointer>) {
    return reinterpret_cast<std::int64_t*>(i * 8);  // nobody follows it
  } else if constexpr (std::is_same_v<T, Address>) {
    return GlobalAddress<std::int64_t>::linear(static_cast<std::uint64_t>(i) * 8);
  } else {
    return i;
  }
}

/// One task fills `there` and empties `back`, another one does the opposite.
template <class T>
void words_of_a_core(std::int64_t rounds) {
  FullEmpty<T> there;
  FullEmpty<T> back;
  std::int64_t right = 0;
  CompletionEvent echo;
  spawn(echo, [&there, &back, rounds] {
    for (std::int64_t i = 0; i < rounds; ++i) back.write_ef(there.read_fe());
  });
  for (std::int64_t i = 0; i < rounds; ++i) {
    there.write_ef(word_value<T>(i));
    right += back.read_fe() == word_value<T>(i);
  }
  echo.wait();
  require(right == rounds, "full/empty words");
}

/// The same between the first and the last core; each word is at the core that empties it.
template <class T>
void words_of_two_cores(std::int64_t rounds) {
  const auto words = symmetric_alloc<FullEmpty<T>>();
  const int other = core_count() - 1;
  const auto there = words.on(other);
  const auto back = words.on(0);
  std::int64_t right = 0;
  CompletionEvent echo;
  spawn_on(echo, other, [there, back, rounds] {
    for (std::int64_t i = 0; i < rounds; ++i) delegate::write_ef(back, delegate::read_fe(there));
  });
  for (std::int64_t i = 0; i < rounds; ++i) {
    delegate::write_ef(there, word_value<T>(i));
    right += delegate::read_fe(back) == word_value<T>(i);
  }
  echo.wait();
  symmetric_free(words);
  require(right == rounds, "full/empty words of two cores");
}

// ---- locks

void free_mutex(std::int64_t rounds) {
  Mutex mutex;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < rounds; ++i) {
    const std::lock_guard guard(mutex);
    ++count;
  }
  require(count == rounds && !mutex.locked(), "a free mutex");
}

/// Each task queues again as soon as it has handed the mutex on, so every lock waits for all
/// others.
void contended_mutex(int tasks, std::int64_t rounds) {
  Mutex mutex;
  int started = 0;
  std::int64_t count = 0;
  std::int64_t repeats = 0;  // of a task that was not kept waiting
  int last = -1;
  CompletionEvent done;
  mutex.lock();
  for (int t = 0; t < tasks; ++t) {
    spawn(done, [&, t, tasks, rounds] {
      ++started;
      for (std::int64_t i = t; i < rounds; i += tasks) {
        const std::lock_guard guard(mutex);
        ++count;
        repeats += t == last;
        last = t;
      }
    });
  }
  while (started < tasks) yield();
  mutex.unlock();
  done.wait();
  // The last one may be alone.
  require(count == rounds && (repeats <= 1 || tasks == 1), "a contended mutex");
}

void free_semaphore(std::int64_t rounds) {
  Semaphore room(1);
  for (std::int64_t i = 0; i < rounds; ++i) {
    room.acquire();
    room.release();
  }
  require(room.available() == 1, "a free semaphore");
}

void semaphores(std::int64_t rounds) {
  Semaphore there;
  Semaphore back;
  std::int64_t answers = 0;
  std::int64_t early = 0;
  CompletionEvent echo;
  spawn(echo, [&, rounds] {
    for (std::int64_t i = 0; i < rounds; ++i) {
      there.acquire();
      ++answers;
      back.release();
    }
  });
  for (std::int64_t i = 0; i < rounds; ++i) {
    there.release();
    back.acquire();
    early += answers != i + 1;
  }
  echo.wait();
  require(early == 0, "semaphores");
}

void condition_variable(std::int64_t rounds) {
  Mutex mutex;
  ConditionVariable changed;
  bool answered = true;
  std::int64_t answers = 0;
  std::int64_t early = 0;
  CompletionEvent echo;
  spawn(echo, [&, rounds] {
    std::unique_lock lock(mutex);
    for (std::int64_t i = 0; i < rounds; ++i) {
      changed.wait(lock, [&] { return !answered; });
      ++answers;
      answered = true;
      changed.notify_one();
    }
  });
  {
    std::unique_lock lock(mutex);
    for (std::int64_t i = 0; i < rounds; ++i) {
      answered = false;
      changed.notify_one();
      changed.wait(lock, [&] { return answered; });
      early += answers != i + 1;
    }
  }
  echo.wait();
  require(early == 0, "a condition variable");
}

// ---- barriers

void barrier_of_tasks(int tasks, std::int64_t rounds) {
  Barrier round(tasks);
  std::int64_t arrived = 0;
  std::int64_t early = 0;
  CompletionEvent done;
  for (int t = 0; t < tasks; ++t) {
    spawn(done, [&, tasks, rounds] {
      for (std::int64_t i = 1; i <= rounds; ++i) {
        ++arrived;
        round.arrive_and_wait();
        early += arrived < i * tasks;
      }
    });
  }
  done.wait();
  require(arrived == rounds * tasks && early == 0, "a barrier");
}

void barrier_of_cores(std::int64_t rounds) {
  const auto finished = symmetric_alloc<std::int64_t>();
  on_all_cores([finished, rounds] {
    for (std::int64_t i = 0; i < rounds; ++i) {
      barrier();
      ++finished.local();
    }
  });
  const auto sum =
      reduce_cores([finished] { return finished.local(); }, std::int64_t{0}, std::plus<>{});
  symmetric_free(finished);
  require(sum == rounds * core_count(), "the barrier of all cores");
}

// ---- completion events

void enroll_and_complete(std::int64_t rounds) {
  CompletionEvent event;
  event.enroll();
  for (std::int64_t i = 0; i < rounds; ++i) {
    event.enroll();
    event.complete();
  }
  require(!event.finished(), "a completion event");
  event.complete();
  event.wait();
}

void spawn_and_wait(int tasks, std::int64_t rounds) {
  std::int64_t ran = 0;
  std::int64_t early = 0;
  for (std::int64_t first = 0; first < rounds; first += tasks) {
    CompletionEvent done;
    for (int t = 0; t < tasks; ++t) spawn(done, [&ran] { ++ran; });
    done.wait();
    early += ran != first + tasks;
  }
  require(early == 0, "a completion event with tasks");
}

// ---- the benchmark

class Sync final : public Benchmark {
 public:
  Sync() : Benchmark("sync", "nanoseconds for tasks to wait for one another") {}

  void add_options(Options& options) override {
    options.add_count("--rounds", rounds_, 1, Options::kMany,
                      "operations in a trial; between cores a twentieth");
    options.add_count("--tasks", tasks_, 1, 1'000'000,
                      "tasks that queue at one mutex, barrier or event");
    options.add_trials(trials_);
  }

  void run(const Config& config, Report& report) override {
    grappa::run(config, [&] {
      cli::print_cores(report);
      Table rows(report, "rows",
                 {{.head = "operation", .width = 46, .left = true},
                  {.head = "ns", .format = "{:.1f}", .width = 9}});
      measure_one_core(rows);
      if (core_count() > 1)
        measure_between_cores(rows);
      else
        report.line("Left out", "what waits between cores: there is one");
      report.line("Checked", "{}",
                  fact("checked", true, "what every trial handed over, or counted"));
    });
  }

 private:
  void measure_one_core(Table& rows) const {
    const std::int64_t rounds = rounds_;
    const int tasks = tasks_;
    const auto row = [&](const std::string& name, auto work) {
      measure(rows, name, rounds, [&] { work(rounds); });
    };
    const auto among = [tasks](const char* name) {
      return fmt::format("{}, {} tasks", name, tasks);
    };
    row("full/empty, there and back", &words_of_a_core<std::int64_t>);
    row("full/empty pointer, there and back", &words_of_a_core<Pointer>);
    row("mutex, lock and unlock", &free_mutex);
    row(among("mutex, hand-over"), [tasks](std::int64_t n) { contended_mutex(tasks, n); });
    row("semaphore, acquire and release", &free_semaphore);
    row("semaphores, there and back", &semaphores);
    row("condition variable, there and back", &condition_variable);
    // By the task: a round of the barrier is as many.
    const std::int64_t whole = std::max<std::int64_t>(1, rounds / tasks);
    measure(rows, among("barrier, a task"), whole * tasks, [&] { barrier_of_tasks(tasks, whole); });
    row("completion event, enroll and complete", &enroll_and_complete);
    row("completion event, spawn and wait", [](std::int64_t n) { spawn_and_wait(1, n); });
    measure(rows, among("completion event, a task"), whole * tasks,
            [&] { spawn_and_wait(tasks, whole * tasks); });
  }

  void measure_between_cores(Table& rows) const {
    const std::int64_t rounds = std::max<std::int64_t>(1, rounds_ / 20);
    const auto row = [&](const std::string& name, auto work) {
      measure(rows, name, rounds, [&] { work(rounds); });
    };
    row("full/empty, two cores, there and back", &words_of_two_cores<std::int64_t>);
    row("full/empty address, two cores, there and back", &words_of_two_cores<Address>);
    row(fmt::format("barrier of {} cores", core_count()), &barrier_of_cores);
  }

  template <class Work>
  void measure(Table& rows, const std::string& name, std::int64_t operations, Work work) const {
    const double seconds = median(run_trials(trials_, [&] { return seconds_of(work); }));
    nlohmann::json& row =
        rows.add(fact("operation", name),
                 fact("nanoseconds", seconds * 1e9 / static_cast<double>(operations)));
    row["operations"] = operations;
    row["checked"] = true;
  }

  std::int64_t rounds_ = 200'000;
  int tasks_ = 16;
  int trials_ = 5;
};

const Sync sync_benchmark;

}  // namespace
}  // namespace grappa::bench
