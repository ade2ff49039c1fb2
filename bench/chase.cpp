#include "bench/chase.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>

#include "bench/chase_bare.hpp"
#include "bench/delay_line.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

internal::Mapping huge_memory(std::size_t bytes) {
  internal::Mapping memory = internal::Mapping::reserve({.bytes = bytes,
                                                         .alignment = internal::huge_page_size(),
                                                         .purpose = "lists to chase",
                                                         .knob = "--memory"});
  internal::advise_huge(memory.data(), memory.size());
  return memory;
}

// ---- hand-interleaved loops

template <std::size_t... kList>
void chase_together(Node** heads, std::int64_t steps, std::index_sequence<kList...>) {
  std::array<Node*, sizeof...(kList)> node = {heads[kList]...};
  for (std::int64_t step = 0; step < steps; ++step) ((node[kList] = node[kList]->next), ...);
  ((heads[kList] = node[kList]), ...);
}

using HandLoop = void (*)(Node**, std::int64_t);

/// [n - 1]: the loop over n lists.
template <std::size_t... kLists>
constexpr std::array<HandLoop, sizeof...(kLists)> hand_loops(std::index_sequence<kLists...>) {
  return {+[](Node** heads, std::int64_t steps) {
    chase_together(heads, steps, std::make_index_sequence<kLists + 1>());
  }...};
}

// ---- tasks

/// Lets the tasks of a core begin when all of them are there.
struct Gate {
  std::int64_t arrived = 0;
  bool open = false;

  void pass() {
    ++arrived;
    while (!open) yield();
  }
};

/// start(event, gate, task) starts each of `tasks` tasks of this core, which pass the gate first.
template <class Start>
ChaseTimes run_gated(std::int64_t tasks, Start start_task) {
  Gate gate;
  CompletionEvent done;
  for (std::int64_t task = 0; task < tasks; ++task) start_task(done, &gate, task);
  while (gate.arrived < tasks) yield();
  barrier();
  const std::uint64_t start = internal::now_ns();
  gate.open = true;
  done.wait();
  return {start, internal::now_ns()};
}

/// body(task) in each of them.
template <class Body>
ChaseTimes run_tasks(std::int64_t tasks, Body body) {
  return run_gated(tasks, [body](CompletionEvent& done, Gate* gate, std::int64_t task) {
    spawn(done, [gate, body, task] {
      gate->pass();
      body(task);
    });
  });
}

/// A task without a stack.
Coroutine<> follow(Gate* gate, Node** head, std::int64_t steps) {
  ++gate->arrived;
  while (!gate->open) co_await co::yield();
  Node* node = *head;
  for (std::int64_t step = 0; step < steps; ++step) {
    co_await co::prefetch(node);
    node = node->next;
  }
  *head = node;
}

template <int kWidth>
ChaseTimes weave(ChaseCore& core, std::int64_t lists, std::int64_t steps) {
  Node** heads = core.heads.data();
  return run_tasks(lists / kWidth, [=](std::int64_t task) {
    Node** mine = heads + task * kWidth;
    std::array<Node*, kWidth> node;
    for (int i = 0; i < kWidth; ++i) node[static_cast<std::size_t>(i)] = mine[i];
    for (std::int64_t step = 0; step < steps; ++step) {
      for (Node* each : node) __builtin_prefetch(each);
      yield();
      for (Node*& each : node) each = each->next;
    }
    for (int i = 0; i < kWidth; ++i) mine[i] = node[static_cast<std::size_t>(i)];
  });
}

}  // namespace

// ---- what a core keeps

ChaseCore::ChaseCore(int bits, std::uint64_t seed)
    : seed_(seed), memory_(huge_memory(sizeof(Node) << bits)), cycle_(memory_.data(), bits, seed) {
  cycle_.build();
}

ChaseCore::~ChaseCore() = default;

std::uint64_t ChaseCore::start_of(std::int64_t list) const {
  const std::uint64_t apart = cycle_.length() / heads.size();
  return position_ + apart * static_cast<std::uint64_t>(list);
}

void ChaseCore::begin(std::int64_t lists) {
  heads.resize(static_cast<std::size_t>(lists));
  for (std::int64_t list = 0; list < lists; ++list)
    heads[static_cast<std::size_t>(list)] = cycle_.at(start_of(list));
}

void ChaseCore::finish(std::int64_t steps) {
  position_ += static_cast<std::uint64_t>(steps);
  for (std::size_t list = 0; list < heads.size(); ++list) {
    if (heads[list] != cycle_.at(start_of(static_cast<std::int64_t>(list))))
      throw Error(fmt::format("bench pointer-chase: list {} of core {} ended at a wrong node", list,
                              this_core()));
  }
}

BareChaseRing& ChaseCore::bare_ring() {
  if (!bare_) bare_ = std::make_unique<BareChaseRing>(internal::here().locale.config);
  return *bare_;
}

std::vector<LocalSet>& ChaseCore::local_sets(std::int64_t tasks, std::int64_t bytes) {
  if (local_bytes_ == bytes && static_cast<std::int64_t>(local_sets_.size()) == tasks)
    return local_sets_;
  local_sets_.clear();
  local_bytes_ = bytes;
  local_memory_ = {};
  local_memory_ = huge_memory(static_cast<std::size_t>(tasks * bytes));
  const int bits = std::countr_zero(static_cast<std::uint64_t>(bytes) / sizeof(Node));
  for (std::int64_t task = 0; task < tasks; ++task) {
    local_sets_.push_back({NodeCycle(local_memory_.data() + task * bytes, bits,
                                     seed_ + 1000 * static_cast<std::uint64_t>(task + 1))});
    local_sets_.back().cycle.build();
  }
  return local_sets_;
}

// ---- trials

ChaseTimes HandChase::operator()(ChaseCore& core) const {
  static constexpr auto kLoops = hand_loops(std::make_index_sequence<kMax>());
  core.begin(lists);
  const HandLoop loop = kLoops[static_cast<std::size_t>(lists - 1)];
  barrier();
  const std::uint64_t start = internal::now_ns();
  loop(core.heads.data(), steps);
  const std::uint64_t end = internal::now_ns();
  core.finish(steps);
  return {start, end};
}

ChaseTimes TaskChase::operator()(ChaseCore& core) const {
  core.begin(lists);
  const ChaseTimes times = width == 1   ? weave<1>(core, lists, steps)
                           : width == 2 ? weave<2>(core, lists, steps)
                           : width == 4 ? weave<4>(core, lists, steps)
                                        : weave<8>(core, lists, steps);
  core.finish(steps);
  return times;
}

ChaseTimes CoroutineChase::operator()(ChaseCore& core) const {
  core.begin(lists);
  const auto start = [&](CompletionEvent& done, Gate* gate, std::int64_t task) {
    spawn(done, follow(gate, &core.heads[static_cast<std::size_t>(task)], steps));
  };
  const ChaseTimes times = run_gated(lists, start);
  core.finish(steps);
  return times;
}

ChaseTimes BareChase::operator()(ChaseCore& core) const {
  core.begin(lists);
  BareChaseRing& ring = core.bare_ring();
  ring.prepare(core.heads, steps);
  barrier();
  const std::uint64_t start = internal::now_ns();
  ring.run();
  const std::uint64_t end = internal::now_ns();
  core.finish(steps);
  return {start, end};
}

ChaseTimes DelayedChase::operator()(ChaseCore& core) const {
  core.begin(lists);
  DelayLine line(delay_ns, lists);
  DelayLine* network = &line;
  Node** heads = core.heads.data();
  const std::int64_t count = steps;
  const ChaseTimes times = run_tasks(lists, [=](std::int64_t task) {
    Node* node = heads[task];
    for (std::int64_t step = 0; step < count; ++step) {
      __builtin_prefetch(node);
      const std::uint64_t ticket = network->issue();
      yield();
      network->wait_for(ticket);
      node = node->next;
    }
    heads[task] = node;
  });
  core.finish(steps);
  return times;
}

ChaseTimes PressureChase::operator()(ChaseCore& core) const {
  core.begin(lists);
  std::vector<LocalSet>& sets = core.local_sets(lists, set_bytes);
  LocalSet* set = sets.data();
  Node** heads = core.heads.data();
  const std::int64_t count = steps;
  const std::int64_t each = updates;
  std::vector<Node*> ends(sets.size());
  Node** end = ends.data();
  const ChaseTimes times = run_tasks(lists, [=](std::int64_t task) {
    Node* node = heads[task];
    Node* local = set[task].cycle.at(set[task].steps);
    for (std::int64_t step = 0; step < count; ++step) {
      __builtin_prefetch(node);
      yield();
      node = node->next;
      for (std::int64_t i = 0; i < each; ++i) {
        ++local->data;
        local = local->next;
      }
    }
    heads[task] = node;
    end[task] = local;
  });
  core.finish(steps);
  for (std::size_t task = 0; task < sets.size(); ++task) {
    LocalSet& mine = sets[task];
    mine.steps += static_cast<std::uint64_t>(steps * updates);
    if (ends[task] != mine.cycle.at(mine.steps) || mine.cycle.sum_of_data() != mine.steps)
      throw Error(fmt::format("bench pointer-chase: the updates of task {} of core {} are wrong",
                              task, this_core()));
  }
  return times;
}

}  // namespace grappa::bench
