// A race that real networks show once in a while, shown at will: the seed of a deterministic
// simulation decides who wins, and decides it the same way every time.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <set>

using namespace grappa;

int winner(std::uint64_t seed) {
  Config config;
  config.mpi = MpiChoice::kNone;  // a world of its own, also in a process of a cluster
  config.locales = 4;
  config.cores = 1;
  config.simulation.mode = SimulationMode::kDeterministic;
  config.simulation.latency_ns = 10'000;
  config.simulation.reorder = 0.5;  // every other packet may be overtaken
  config.simulation.seed = seed;
  int last = -1;
  run(config, [&] {
    const GlobalAddress<int> word = global_alloc<int>(1);
    on_all_cores([=] { delegate::async::write(word, this_core()); });  // in no order at all
    last = delegate::read(word);
    global_free(word);
  });
  return last;
}

int main() {
  constexpr int kSeeds = 10;
  int repeated = 0;
  std::set<int> outcomes;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const int first = winner(seed);
    repeated += winner(seed) == first;
    outcomes.insert(first);
  }
  std::printf("%d of %d seeds gave the same winner twice\n", repeated, kSeeds);
  std::printf("different seeds gave %s\n",
              outcomes.size() > 1 ? "different winners" : "one winner");
  return repeated == kSeeds && outcomes.size() > 1 ? 0 : 1;
}
