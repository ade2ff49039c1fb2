// Programs that end badly, or might be thought to, for tests of jobs of several processes.
//
//   ways_to_end WAY

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "grappa/grappa.hpp"

namespace {

using namespace grappa;

constexpr std::uint64_t kSecond = 1'000'000'000;

// Where no memory is, as the compiler cannot tell.
volatile int* volatile const kNothing = nullptr;

int last_core() { return core_count() - 1; }

void take_memory_away() {
  const rlimit little{64 << 20, 64 << 20};
  setrlimit(RLIMIT_AS, &little);
}

struct WaitForEver {
  void operator()() const {
    FullEmpty<int> never;
    never.read_fe();
  }
};

struct TooDeep {
  static int down(int steps) {
    volatile char room[1000] = {};
    return steps == 0 ? room[0] : down(steps - 1) + room[1];
  }
  void operator()() const { down(1000); }
};

struct TakeAllMemory {
  void operator()() const {
    take_memory_away();
    for (std::size_t i = 0; i < 1000; ++i) std::memset(::operator new(1 << 20), 1, 1 << 20);
  }
};

struct CatchWorse {
  void operator()(internal::RunContext&) const { throw std::runtime_error("a handler has failed"); }
};

void sleep_two_seconds() { sleep_for(2 * kSecond); }

// What runs as the first task.
const std::map<std::string, std::function<void()>> kTasks = {
    {"well", [] { on_all_cores([] { yield(); }); }},
    {"deadlock", [] { spawn_on(last_core(), WaitForEver{}); }},
    {"deadlock-of-many", [] { on_all_cores(WaitForEver{}); }},
    {"empty-queue",
     [] {
       const auto queue = GlobalQueue<int>::create();
       on_all_cores([queue] { queue.dequeue(); });
     }},
    {"reader-dies",
     [] {
       const auto queue = GlobalQueue<int>::create();
       on_all_cores([queue] {
         if (this_core() == last_core()) {
           sleep_for(kSecond / 4);
           std::raise(SIGKILL);
         }
         queue.dequeue();
       });
     }},
    // All tasks but one wait, and that one for time to pass.
    {"slow", [] { spawn_on(last_core(), [] { sleep_two_seconds(); }); }},
    // All wait for one task, which has waited itself and now keeps its core.
    {"busy",
     [] {
       CompletionEvent done;
       spawn_on(done, last_core(), [] { sleep_for(kSecond / 4); });
       done.wait();
       std::this_thread::sleep_for(std::chrono::seconds(5));
     }},
    {"throw", [] { spawn_on(last_core(), [] { throw std::runtime_error("no luck"); }); }},
    {"throw-in-run", [] { throw std::runtime_error("nobody catches this"); }},
    {"suspend", [] { delegate::call(last_core(), [] { sleep_for(kSecond); }); }},
    {"overflow", [] { spawn_on(last_core(), TooDeep{}); }},
    {"memory", [] { spawn_on(last_core(), TakeAllMemory{}); }},
    {"handler",
     [] {
       internal::here().messages->send(last_core(), CatchWorse{}, nullptr);
       sleep_for(5 * kSecond);
     }},
    {"exit-inside", [] { spawn_on(last_core(), [] { std::exit(3); }); }},
    {"pointer",
     [] {
       const char* text = "lies elsewhere in every process";
       on_all_cores([text] { std::puts(text); });
     }},
    {"run-in-thread", [] { std::thread([] { run([] {}); }).join(); }},
    // A child ends without asking the others, and so do the destructors of what is static there.
    {"fork",
     [] {
       spawn_on(last_core(), [] {
         const pid_t child = fork();
         if (child == 0) std::exit(0);
         waitpid(child, nullptr, 0);
       });
     }},
    {"fault", [] { spawn_on(last_core(), [] { *kNothing = 1; }); }},
    {"hog",
     [] {
       yield();
       std::this_thread::sleep_for(std::chrono::seconds(1));
     }},
    {"abort", [] { spawn_on(last_core(), [] { std::abort(); }); }},
};

int leave_a_session_idle(const Config& config) {
  if (is_follower(config)) return serve(config);
  {
    Session session(config);
    session.call([] { on_all_cores([] { yield(); }); });
    std::this_thread::sleep_for(std::chrono::seconds(1));
    session.call([] { on_all_cores([] { yield(); }); });
  }
  end_job(0, config);
  return 0;
}

int end(const std::string& way) {
  Config config = Config{}.with_environment();
  if (way == "bad-setting") config.chunk_bytes = 7;
  for (const char* rank : {std::getenv("OMPI_COMM_WORLD_RANK"), std::getenv("PMI_RANK")}) {
    if (way == "alone" && rank != nullptr && std::string_view(rank) != "0") {
      // Open MPI's launcher takes it ill when one leaves that another waits for.
      std::this_thread::sleep_for(std::chrono::minutes(1));
      return 0;
    }
  }
  if (way == "idle-session") return leave_a_session_idle(config);
  if (way == "session-of-each") Session{config}.call([] {});
  const bool follower = is_follower(config);
  if (way == "set-up" && follower) take_memory_away();
  if (way == "exit" && follower) std::exit(3);
  if (way == "throw-outside" && follower) throw std::runtime_error("nobody catches this");
  const auto task = kTasks.find(way);
  run(config, [&] {
    if (task != kTasks.end()) task->second();
  });
  if (way == "outside") return this_core();
  if (way == "run-in-fork") {
    const pid_t child = fork();
    if (child != 0) {
      waitpid(child, nullptr, 0);
    } else {
      run(config, [] {});
    }
  }
  // A job may take its time between runs.
  if (way == "well" || (way == "too-often" && !follower)) run(config, [] {});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string way = argv[1];
  // The errors of these are caught by nobody.
  if (way == "throw-outside" || way == "throw-in-run" || way == "bad-setting" ||
      way == "run-in-thread")
    return end(way);
  try {
    return end(way);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ways_to_end: %s\n", error.what());
    return 1;
  }
}
