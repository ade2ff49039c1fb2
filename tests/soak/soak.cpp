// Random programs on random machines, against a sequential model, for as long as one likes.
//
//   soak [SECONDS [SEED [ROUNDS [containers]]]]
//
// Each round draws a machine (simulated locales, or the processes of the job under a launcher, with
// random sizes, routes and networks) and a few dozen steps (soak_steps.hpp). Faults are off: every
// difference from the model is an error of the runtime. Every round names its seed before it
// starts; `soak 0 SEED 1` repeats it (in deterministic simulation exactly).
//
// With `containers` a round is the program of each container (container_programs.hpp), on 1, 2 and
// 8 locales, or the processes of the job, with requests that combine and not.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <string_view>

#include "container_programs.hpp"
#include "soak_steps.hpp"

namespace {

using namespace grappa;

template <class T>
T one_of(std::mt19937_64& random, std::initializer_list<T> values) {
  return values.begin()[random() % values.size()];
}

/// `config` says what the environment asks for.
Config random_machine(Config config, std::mt19937_64& random, bool in_job) {
  config.chunk_bytes = one_of<std::size_t>(random, {1024, 2048, 4096, 16'384, 65'536, 262'144});
  config.route = one_of(random, {RoutePolicy::kFlat, RoutePolicy::kTwoHop});
  config.flush_ns = one_of<std::uint64_t>(random, {20'000, 1'000'000, 5'000'000});
  config.max_forall_workers = one_of(random, {1, 2, 16, 1024});
  config.heap_block_bytes = one_of<std::size_t>(random, {64, 512, 4096});
  config.batch_prefetch = one_of(random, {0, 4, 32});
  config.shuffle = random() % 2 == 0;
  config.combining = random() % 4 != 0;
  config.pin = false;
  if (in_job) {
    config.cores = 1;  // the processes of a test share a small machine
    config.comm_core = random() % 4 == 0;
    return config;
  }
  config.simulated = true;
  config.locales = 1 + static_cast<int>(random() % (random() % 2 == 0 ? 4 : 16));
  config.cores = 1 + static_cast<int>(random() % 3);
  config.simulation.seed = random();
  config.simulation.latency_ns = one_of<std::uint64_t>(random, {0, 500, 3'000, 50'000});
  config.simulation.reorder = one_of(random, {0.0, 0.1, 0.9});
  if (random() % 3 != 0) {
    config.simulation.mode = SimulationMode::kDeterministic;
  } else {
    config.comm_core = config.locales > 1 && config.locales <= 4 && random() % 3 == 0;
  }
  return config;
}

std::string describe(const Config& config, bool in_job) {
  const bool exact = config.simulation.mode == SimulationMode::kDeterministic;
  const std::string machine = in_job ? "the processes of the job"
                                     : fmt::format("{} {} locales of {} cores", config.locales,
                                                   exact ? "deterministic" : "timed", config.cores);
  return fmt::format("{}, chunks of {} bytes, {}{}", machine, config.chunk_bytes,
                     config.route == RoutePolicy::kTwoHop ? "two-hop" : "flat",
                     config.comm_core ? ", communication cores" : "");
}

void run_round(std::uint64_t seed, const Config& asked, bool in_job) {
  std::mt19937_64 random(seed);
  const Config config = random_machine(asked, random, in_job);
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed),
              describe(config, in_job).c_str());
  std::fflush(stdout);
  const int steps = 5 + static_cast<int>(random() % 40);
  const std::uint64_t program = random();
  run(config, [steps, program] {
    soak::Round round(program);
    for (int i = 0; i < steps; ++i) round.step();
  });
}

void run_containers(std::uint64_t seed, Config config, bool in_job) {
  config.cores = in_job ? 1 : 2;
  config.shuffle = true;
  if (!in_job) {
    config.simulated = true;
    config.simulation.mode = SimulationMode::kDeterministic;
    config.simulation.seed = seed;
    config.simulation.reorder = 0.5;
  }
  for (const int locales : {1, 2, 8}) {
    if (!in_job) config.locales = locales;
    for (const bool combining : {true, false}) {
      config.combining = combining;
      std::printf("seed %llu: containers on %s, %s\n", static_cast<unsigned long long>(seed),
                  describe(config, in_job).c_str(), combining ? "combining" : "not combining");
      std::fflush(stdout);
      run(config, [draw = soak::Draw{seed}] { soak::run_container_programs(draw); });
    }
    if (in_job) return;
  }
}

int soak_for(int argc, char** argv, const Config& config) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
  const long rounds = argc > 3 ? std::atol(argv[3]) : 0;
  const bool containers = argc > 4 && std::string_view(argv[4]) == "containers";
  // A launcher of whichever library has set one of these.
  const bool in_job =
      std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  long done = 0;
  try {
    while (rounds > 0 ? done < rounds : done == 0 || std::chrono::steady_clock::now() < end) {
      containers ? run_containers(seed, config, in_job) : run_round(seed, config, in_job);
      seed = soak::Draw{seed}(1);
      ++done;
    }
  } catch (const std::exception& error) {
    std::printf("FAILED: seed %llu: %s\n", static_cast<unsigned long long>(seed), error.what());
    end_job(1, config);
    return 1;
  }
  std::printf("%ld rounds agree with the model\n", done);
  end_job(0, config);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Config config = Config{}.with_environment();
    return is_follower(config) ? serve(config) : soak_for(argc, argv, config);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "soak: %s\n", error.what());
    return 1;
  }
}
