#pragma once

// The search by all cores: each searches what it has depth first, and gives away the oldest parents
// on its stack as public tasks: just enough that there is always something to steal.
//
// A core has one search and one stack. A task that brings parents to a core that is searching adds
// them to what that one has; so it does not matter who takes a public task, its giver included.
//
// The tables of a tree and the states of searches lie in each core's own memory, and closures carry
// no more than its symmetric address: they mean the same in every locale.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "bench/uts_search.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {

/// One core's part of a search.
template <class Labels>
class UtsWorker {
 public:
  using Search = UtsSearch<Labels>;
  using Address = SymmetricAddress<std::optional<UtsWorker>>;

  UtsWorker(const UtsShape& shape, Labels labels, std::int64_t grain)
      : seed_(shape.seed), search_(shape, labels), grain_(grain), offered_(tasks_on_offer()) {}

  UtsCounts take_counts() { return search_.take_counts(); }

  void start(Address workers) {
    search_.visit_root(seed_);
    run(workers);
  }

 private:
  static constexpr std::size_t kMaxGiven = 16;
  static constexpr int kMaxOffered = 4;

  /// A public task.
  struct Gift {
    Address workers;
    std::size_t count;
    std::array<typename Search::Parent, kMaxGiven> parents;
    void operator()() const { workers.local()->receive(*this); }
  };

  /// How many public tasks shall wait at a core. Another locale takes half of them at a time.
  static int tasks_on_offer() {
    return locale_count() > 1 ? kMaxOffered : std::min(core_count() - 1, kMaxOffered);
  }

  void receive(const Gift& gift) {
    search_.stack().put_oldest(std::span(gift.parents).first(gift.count));
    if (!running_) run(gift.workers);
  }

  void run(Address workers) {
    running_ = true;
    while (!search_.done()) {
      search_.run(grain_);
      give(workers);
      internal::this_scheduler().between_units();
    }
    running_ = false;
  }

  void give(Address workers) {
    auto& stack = search_.stack();
    while (stack.size() > 1 && internal::this_scheduler().public_tasks() < offered_) {
      Gift gift{workers, std::min(kMaxGiven, stack.size() / 2), {}};
      stack.take_oldest(std::span(gift.parents).first(gift.count));
      spawn_public(gift);
    }
  }

  const std::uint32_t seed_;
  Search search_;
  const std::int64_t grain_;  // nodes between two looks at what others do
  const int offered_;
  bool running_ = false;
};

/// A search by all cores, to be run any number of times. A handle, for an Owned; all of its
/// functions are called by one task, and switch tasks.
template <class Labels>
class UtsParallelSearch {
 public:
  /// `make_labels()` is called once on every core.
  template <class MakeLabels>
  static UtsParallelSearch create(const UtsShape& shape, std::int64_t grain,
                                  MakeLabels make_labels) {
    const auto workers = symmetric_alloc<std::optional<UtsWorker<Labels>>>();
    on_all_cores([=] { workers.local().emplace(shape, make_labels(), grain); });
    UtsParallelSearch search;
    search.workers_ = workers;
    return search;
  }

  void destroy() { symmetric_free(workers_); }

  /// Visits the whole tree.
  UtsCounts run() const {
    CompletionEvent done;
    spawn(done, [workers = workers_] { workers.local()->start(workers); });
    done.wait();
    UtsCounts sum;
    for (const UtsCounts& part :
         gather_cores([workers = workers_] { return workers.local()->take_counts(); })) {
      sum.add(part);
    }
    return sum;
  }

 private:
  using Address = typename UtsWorker<Labels>::Address;
  Address workers_;
};

}  // namespace grappa::bench
