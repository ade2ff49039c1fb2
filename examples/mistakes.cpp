// What the runtime says to programs that are wrong. Most of it ends the process, so each mistake is
// made in a process of its own.
//   mistakes [pointer|owner|suspend|deadlock|overflow|null|destroyed|outside]

#include <sys/wait.h>
#include <unistd.h>
#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <string_view>

using namespace grappa;

struct WaitForEver {
  void operator()() const {
    FullEmpty<int> never;
    never.read_fe();  // nobody will fill it
  }
};

struct Sleep {
  void operator()() const { sleep_for(1000); }
};

struct TooDeep {
  static std::int64_t down(std::int64_t steps) {
    volatile char room[1000] = {};
    return steps == 0 ? room[0] : down(steps - 1) + room[1];
  }
  void operator()() const { down(1000); }  // wants a megabyte
};

void make(std::string_view mistake) {
  if (mistake == "outside") global_alloc<int>(1000);
  Config config;
  config.mpi = MpiChoice::kNone;
  config.locales = 2;  // simulated, hence with a look into every closure that is sent
  config.cores = 1;
  run(config.with_environment(), [=] {
    CompletionEvent event;
    int total = 0;
    const GlobalAddress<int> mine = GlobalAddress<int>::of_local(&total);
    if (mistake == "pointer") on_all_cores([&total] { ++total; });
    if (mistake == "owner") delegate::call(core_count() - 1, [mine] { ++*mine.pointer(); });
    if (mistake == "suspend") delegate::call(core_count() - 1, Sleep{});
    if (mistake == "deadlock") spawn(event, WaitForEver{});
    if (mistake == "overflow") spawn(event, TooDeep{});
    if (mistake == "null") delegate::write(GlobalAddress<int>(), 1);
    if (mistake == "destroyed") {
      auto array = GlobalArray<int>::create(100);
      const auto copy = array;
      array.destroy();
      copy.forall([](int& x) { ++x; });
    }
    event.wait();
  });
}

int try_to(std::string_view mistake) {
  try {
    make(mistake);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "mistakes: %s\n", error.what());
    return 1;
  }
}

int main(int argc, char** argv) {
  if (argc > 1) return try_to(argv[1]);
  int survived = 0;
  for (const char* mistake :
       {"pointer", "owner", "suspend", "deadlock", "overflow", "null", "destroyed", "outside"}) {
    const pid_t child = fork();
    if (child == 0) _exit(try_to(mistake));
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1) continue;
    std::fprintf(stderr, "'%s' ended with status %d\n", mistake, status);
    ++survived;
  }
  return survived;
}
