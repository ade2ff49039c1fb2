#pragma once

// What a round of the soak does: random operations, each followed on a sequential model.
//
// A step is drawn from the round's seed. What its tasks do follows from a hash of the step's seed
// and the number of the operation, so the model can do the same without being told. Operations that
// run side by side commute, or touch different things, so that there is one right result.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "draw.hpp"
#include "grappa/grappa.hpp"

namespace soak {

using namespace grappa;

class Round {
 public:
  explicit Round(std::uint64_t seed);
  ~Round();
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  /// One step, and a comparison of what it may have changed.
  void step();

 private:
  using Words = GlobalArray<std::int64_t>;

  std::int64_t random(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  Draw draw() { return {random_()}; }

  // Each is one step.
  void asynchronous_updates();
  void blocking_updates();
  void compare_and_exchange();
  void scatter_and_gather();
  void nested_loops();
  void loops_over_elements();
  void trees_of_tasks();
  void errors();
  void map_updates();
  void map_lookups();
  void replicas();
  void collectives();
  void full_empty_words();
  void allocations();
  void containers();

  void compare_words();
  void compare_map();

  std::mt19937_64 random_;
  Words words_;
  std::vector<std::int64_t> words_model_;
  GlobalHashMap<std::int64_t, std::int64_t> map_;
  std::map<std::int64_t, std::int64_t> map_model_;
  std::int64_t map_keys_;  // keys are below
  Replica<std::uint64_t> bits_;
  std::vector<std::uint64_t> bits_model_;
  struct Block {
    GlobalAddress<std::int64_t> address;
    std::int64_t length;
    std::int64_t factor;  // element i holds i times that
  };
  std::vector<Block> blocks_;
};

}  // namespace soak
