// Random programs of tasks against a sequential model (random_program.hpp): spawns of every kind,
// steals, yields, sleeps, delegates of all phases, full/empty words of all forms, nested events and
// loops, and exceptions, on random machines.
//
// A program and its machine follow from a seed, which is printed before the program starts;
// GRAPPA_TEST_PROGRAM=SEED runs that one alone (on a deterministic machine exactly as it was).

#include "random_program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa::test {
namespace {

/// What the tasks of the program that runs now share. All machines are in this process.
struct Run {
  explicit Run(const Program& its_program)
      : program(its_program),
        cells(kCells, 0),
        visits(its_program.nodes.size()),
        marks(its_program.nodes.size(), 0) {}

  const Program& program;
  std::vector<std::int64_t> cells;  // each is touched by its home core only
  std::vector<std::atomic<std::int64_t>> visits;
  // Of nodes that are executed once. Not atomic: whoever waits for the node may read it.
  std::vector<std::int64_t> marks;
  std::vector<int> order;  // in which nodes begin, on a deterministic machine
  bool keeps_order = false;
};
Run* current = nullptr;

GlobalAddress<std::int64_t> cell_address(int cell) {
  const int home = cell % core_count();
  return GlobalAddress<std::int64_t>::at(home, &current->cells[static_cast<std::size_t>(cell)]);
}
int core_of(const Step& step) { return step.core % core_count(); }

struct AsAsked : std::runtime_error {
  AsAsked() : std::runtime_error("as asked") {}
};

void execute(int node);

struct NodeTask {
  int node;
  void operator()() const { execute(node); }
};

/// Starts a task in one of the ways in which tasks are started.
template <class F>
void start(CompletionEvent* event, int way, int core, F task) {
  switch (way % 4) {
    case 0:
      return event != nullptr ? spawn(*event, task) : spawn(task);
    case 1:
      return event != nullptr ? spawn_on(*event, core, task) : spawn_on(core, task);
    case 2: {
      // In a delegate, whose event it joins.
      const auto there = [task] { spawn_public(task); };
      return event != nullptr ? delegate::async::call(*event, core, there)
                              : delegate::async::call(core, there);
    }
    default:
      return event != nullptr ? spawn_public(*event, task) : spawn_public(task);
  }
}

/// The number of errors that `wait` reports.
template <class Wait>
std::int64_t errors_of(Wait wait) {
  try {
    wait();
  } catch (const RemoteError& error) {
    return 1 + static_cast<std::int64_t>(error.others());
  }
  return 0;
}

// ---- delegates

void add(const Step& step) {
  const std::int64_t by = step.value;
  const auto cell = cell_address(step.cell);
  switch (step.way % 5) {
    case 0:
      delegate::fetch_add(cell, by);
      break;
    case 1:
      delegate::increment(cell, by);
      break;
    case 2:
      delegate::call(cell, [by](std::int64_t& x) { x += by; });
      break;
    case 3:
      delegate::call(cell.core(), [cell, by] { *cell.pointer() += by; });
      break;
    default:
      for (;;) {
        const std::int64_t old = delegate::read(cell);
        if (delegate::compare_exchange(cell, old, old + by)) break;
      }
  }
}

void add_later(const Step& step) {
  const std::int64_t by = step.value;
  const auto cell = cell_address(step.cell);
  switch (step.way % 3) {
    case 0:
      return delegate::async::increment(cell, by);
    case 1:
      return delegate::async::call(cell, [by](std::int64_t& x) { x += by; });
    default:
      return delegate::async::call(cell.core(), [cell, by] { *cell.pointer() += by; });
  }
}

void add_split(const Step& step) {
  const std::int64_t by = step.value;
  std::vector<std::unique_ptr<Handle<void>>> handles;
  for (int i = 0; i < step.count; ++i) {
    handles.emplace_back(new Handle<void>(delegate::issue(cell_address((step.cell + i) % kCells),
                                                          [by](std::int64_t& x) { x += by; })));
  }
  yield();
  // The last one is completed by its end.
  handles.pop_back();
  for (const auto& handle : handles) handle->complete();
}

void fail(const Step& step) {
  const int core = core_of(step);
  switch (step.way % 3) {
    case 0:
      EXPECT_THROW(delegate::call(core, [] { throw AsAsked(); }), RemoteError);
      break;
    case 1:
      EXPECT_THROW(delegate::call(cell_address(step.cell), [](std::int64_t&) { throw AsAsked(); }),
                   RemoteError);
      break;
    default: {
      auto handle = delegate::issue(core, [] { throw AsAsked(); });
      yield();
      EXPECT_THROW(handle.complete(), RemoteError);
    }
  }
}

// ---- full/empty words

using Pointer = internal::AlignedAddress<std::int64_t*>;
using Address = internal::AlignedAddress<GlobalAddress<std::int64_t>>;

template <class T>
T value_of(std::int64_t number) {
  if constexpr (std::is_same_v<T, Pointer>) {
    return reinterpret_cast<std::int64_t*>(number * 8);
  } else if constexpr (std::is_same_v<T, Address>) {
    return GlobalAddress<std::int64_t>::placed(0, static_cast<std::uint64_t>(number) * 8);
  } else {
    return number;
  }
}
std::int64_t number(std::int64_t value) { return value; }
std::int64_t number(Pointer value) { return static_cast<std::int64_t>(value.bits() / 8); }
std::int64_t number(Address value) {
  return static_cast<std::int64_t>(value.place().local.bits / 8);
}

/// Words at all cores, for tasks anywhere.
template <class T>
struct SharedWords {
  GlobalAddress<FullEmpty<T>> words;

  std::int64_t take(int i) const { return number(delegate::read_fe(words + i)); }
  std::int64_t look(int i) const { return number(delegate::read_ff(words + i)); }
  void put(int i, std::int64_t n) const { delegate::write_ef(words + i, value_of<T>(n)); }

  template <class F>
  static void start_user(CompletionEvent& event, int way, int core, F task) {
    start(&event, way, core, task);
  }
  template <class F>
  static void with(int count, F use) {
    const auto words = global_alloc<FullEmpty<T>>(count);
    use(SharedWords{words});
    global_free(words);
  }
};

/// Words of one core, for its own tasks.
template <class T>
struct OwnWords {
  FullEmpty<T>* words;

  std::int64_t take(int i) const { return number(words[i].read_fe()); }
  std::int64_t look(int i) const { return number(words[i].read_ff()); }
  void put(int i, std::int64_t n) const { words[i].write_ef(value_of<T>(n)); }

  template <class F>
  static void start_user(CompletionEvent& event, int, int, F task) {
    spawn(event, task);
  }
  template <class F>
  static void with(int count, F use) {
    const auto words = std::make_unique<FullEmpty<T>[]>(static_cast<std::size_t>(count));
    use(OwnWords{words.get()});
  }
};

template <class Words>
void pipe(const Step& step) {
  const std::int64_t first = step.value;
  const int count = step.count;
  const int stages = step.stages;
  const auto cell = cell_address(step.cell);
  Words::with(stages + 1, [&](Words words) {
    CompletionEvent done;
    const auto start_stage = [&](int s) {
      Words::start_user(done, step.way + s, step.core % core_count(), [=] {
        for (int i = 0; i < count; ++i) {
          const std::int64_t item = words.take(s);
          if ((i + s) % 4 == 0) yield();
          words.put(s + 1, item + 1);
        }
      });
    };
    const auto start_ends = [&] {
      Words::start_user(done, step.way / 4, core_of(step), [=] {
        std::int64_t sum = 0;
        for (int i = 0; i < count; ++i) {
          const std::int64_t item = words.take(stages);
          EXPECT_EQ(item, first + i + stages);
          sum += item;
        }
        delegate::async::increment(cell, sum);
      });
      Words::start_user(done, step.way / 2, core_of(step), [=] {
        for (int i = 0; i < count; ++i) words.put(0, first + i);
      });
    };
    if (step.way % 2 == 0) start_ends();
    for (int s = 0; s < stages; ++s) start_stage(s);
    if (step.way % 2 != 0) start_ends();
    done.wait();
  });
}

template <class Words>
void dataflow(const Step& step) {
  const std::int64_t first = step.value;
  Words::with(step.count, [&](Words words) {
    CompletionEvent done;
    for (int k = 0; k < step.count; ++k) {
      // Those that wait are started first, or last.
      const int i = step.way % 2 == 0 ? k : step.count - 1 - k;
      Words::start_user(done, step.way + k, (step.core + k) % core_count(), [=] {
        words.put(i, dataflow_value(first, i, [&](int earlier) { return words.look(earlier); }));
      });
    }
    done.wait();
    delegate::increment(cell_address(step.cell), words.take(step.count - 1));
  });
}

template <class Words>
void lock(const Step& step) {
  const std::int64_t by = step.value;
  Words::with(1, [&](Words words) {
    CompletionEvent done;
    for (int k = 0; k < step.count; ++k) {
      Words::start_user(done, step.way + k, (step.core + k) % core_count(), [=] {
        const std::int64_t sum = words.take(0);
        if (k % 2 == 0) yield();
        words.put(0, sum + by);
      });
    }
    words.put(0, 0);
    done.wait();
    delegate::increment(cell_address(step.cell), words.take(0));
  });
}

template <class Words>
void funnel(const Step& step) {
  const std::int64_t first = step.value;
  Words::with(1, [&](Words words) {
    CompletionEvent done;
    for (int k = 0; k < step.count; ++k) {
      Words::start_user(done, step.way + k, (step.core + k) % core_count(),
                        [=] { words.put(0, first + k); });
    }
    std::int64_t sum = 0;
    for (int k = 0; k < step.count; ++k) {
      if ((k + step.way) % 3 == 0) yield();
      const std::int64_t item = words.look(0);
      EXPECT_EQ(words.take(0), item);  // nobody else takes it
      sum += item;
    }
    done.wait();
    delegate::increment(cell_address(step.cell), sum);
  });
}

template <class Words>
void use_words(const Step& step) {
  switch (step.action) {
    case Action::kPipe:
      return pipe<Words>(step);
    case Action::kDataflow:
      return dataflow<Words>(step);
    case Action::kFunnel:
      return funnel<Words>(step);
    default:
      return lock<Words>(step);
  }
}

void use_words_of_its_form(const Step& step) {
  switch (step.form) {
    case 0:
      return use_words<SharedWords<std::int64_t>>(step);
    case 1:
      return use_words<SharedWords<Pointer>>(step);
    case 2:
      return use_words<SharedWords<Address>>(step);
    case 3:
      return use_words<OwnWords<std::int64_t>>(step);
    case 4:
      return use_words<OwnWords<Pointer>>(step);
    default:
      return use_words<OwnWords<Address>>(step);
  }
}

// ---- nodes

void start_children(CompletionEvent* event, const Step& step) {
  int i = 0;
  for (const int child : step.children) {
    start(event, step.way + i, (step.core + i) % core_count(), NodeTask{child});
    ++i;
  }
}

/// That the node and all below it have been executed. For nodes whose event has been waited for.
void expect_finished(int number) {
  const Node& node = current->program.nodes[static_cast<std::size_t>(number)];
  if (!node.once) return;
  EXPECT_EQ(current->marks[static_cast<std::size_t>(number)], 1) << "node " << number;
  for (const Step& step : node.steps) {
    for (const int child : step.children) expect_finished(child);
  }
}

void scope(const Step& step) {
  CompletionEvent event;
  start_children(&event, step);
  EXPECT_EQ(errors_of([&] { event.wait(); }), step.errors);
  for (const int child : step.children) expect_finished(child);
}

void loop(const Step& step) {
  const int body = step.children.front();
  const LoopOptions options{.grain = step.grain};
  const std::int64_t errors = errors_of([&] {
    switch (step.way % 3) {
      case 0:
        return forall(0, step.count, options, [body](std::int64_t) { execute(body); });
      case 1:
        return forall_here(0, step.count, options, [body](std::int64_t) { execute(body); });
      default:
        return forall_range(0, step.count, options, [body](std::int64_t i, std::int64_t end) {
          for (; i < end; ++i) execute(body);
        });
    }
  });
  EXPECT_EQ(errors, step.errors);
}

void perform(const Step& step) {
  switch (step.action) {
    case Action::kYield:
      for (int i = 0; i < step.count; ++i) yield();
      break;
    case Action::kSleep:
      sleep_for(static_cast<std::uint64_t>(step.value) * 10);
      break;
    case Action::kAdd:
      return add(step);
    case Action::kAddLater:
      return add_later(step);
    case Action::kAddSplit:
      return add_split(step);
    case Action::kFail:
      return fail(step);
    case Action::kFailLater:
      return delegate::async::call(core_of(step), [] { throw AsAsked(); });
    case Action::kSpawn:
      return start_children(nullptr, step);
    case Action::kScope:
      return scope(step);
    case Action::kLoop:
      return loop(step);
    case Action::kPipe:
    case Action::kDataflow:
    case Action::kLock:
    case Action::kFunnel:
      return use_words_of_its_form(step);
  }
}

void execute(int number) {
  const Node& node = current->program.nodes[static_cast<std::size_t>(number)];
  current->visits[static_cast<std::size_t>(number)].fetch_add(1, std::memory_order_relaxed);
  if (current->keeps_order) current->order.push_back(number);
  for (const Step& step : node.steps) perform(step);
  if (node.once) ++current->marks[static_cast<std::size_t>(number)];
  if (node.throws) throw AsAsked();
}

// ---- runs

/// What is the same whenever a deterministic machine runs a program.
struct Course {
  std::vector<int> order;
  std::uint64_t end_ns = 0;
  bool operator==(const Course&) const = default;
};

Course run_program(std::uint64_t seed, const Config& config) {
  const std::string name = fmt::format("program {} on {}", seed, describe(config));
  std::printf("%s\n", name.c_str());
  std::fflush(stdout);
  SCOPED_TRACE(name);
  const Program program = ProgramMaker(seed).make();
  Run its_run(program);
  its_run.keeps_order = config.simulation.mode == SimulationMode::kDeterministic;
  current = &its_run;
  Course course;
  const bool waits = program.start.action == Action::kScope;
  const std::int64_t errors = errors_of([&] {
    run(config, [&] {
      perform(program.start);
      course.end_ns = run_time_ns();
    });
  });
  current = nullptr;
  EXPECT_EQ(errors, waits ? 0 : program.start.errors);
  EXPECT_EQ(its_run.cells, program.cells);
  for (std::size_t node = 0; node < program.nodes.size(); ++node)
    EXPECT_EQ(its_run.visits[node].load(), program.visits[node]) << "node " << node;
  course.order = its_run.order;
  return course;
}

constexpr int programs(int n) {
#if defined(GRAPPA_ASAN) || defined(GRAPPA_TSAN)
  return n / 5;
#else
  return n;
#endif
}

/// Varies what a program should not notice.
Config with_variations(Config config, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](auto... values) {
    const std::common_type_t<decltype(values)...> all[] = {values...};
    return all[random() % std::size(all)];
  };
  constexpr std::size_t kKiB = 1024;
#if defined(GRAPPA_ASAN) || defined(GRAPPA_TSAN)
  config.stack_bytes = 64 * kKiB;
#else
  config.stack_bytes = one_of(32 * kKiB, 64 * kKiB);
#endif
  config.chunk_bytes = one_of(kKiB, 4 * kKiB, 64 * kKiB);
  config.max_forall_workers = one_of(1, 4, 64);
  config.shuffle = one_of(false, true);
  config.route = one_of(RoutePolicy::kFlat, RoutePolicy::kTwoHop);
  config.simulation.latency_ns = one_of(0u, 500u, 20'000u);
  config.simulation.reorder = one_of(0.0, 0.5);
  config.simulation.seed = seed;
  return config;
}

/// `shape(seed)` is the machine of a program.
template <class Shape>
void run_programs(int count, std::uint64_t first_seed, Shape shape) {
  const char* const asked = std::getenv("GRAPPA_TEST_PROGRAM");
  if (asked != nullptr) {
    first_seed = std::strtoull(asked, nullptr, 10);
    count = 1;
  }
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    run_program(seed, with_variations(shape(seed), seed));
  }
}

Config deterministic_machine(std::uint64_t seed) {
  const int locales = 1 + static_cast<int>(seed % 4);
  return test::deterministic(locales, 1 + static_cast<int>(seed / 4 % 3));
}

TEST(RandomProgram, OnOneCore) {
  run_programs(programs(60), 1'000, [](std::uint64_t) { return test::threads(1); });
}
TEST(RandomProgram, OnTwoCores) {
  run_programs(programs(60), 2'000, [](std::uint64_t) { return test::threads(2); });
}
TEST(RandomProgram, OnFourCores) {
  run_programs(programs(40), 3'000, [](std::uint64_t) { return test::threads(4); });
}
TEST(RandomProgram, OnTimedLocales) {
  run_programs(programs(40), 4'000, [](std::uint64_t seed) {
    return test::cluster(2 + static_cast<int>(seed % 2), 1 + static_cast<int>(seed / 2 % 2));
  });
}
TEST(RandomProgram, OnDeterministicMachines) {
  run_programs(programs(120), 5'000, &deterministic_machine);
}

TEST(RandomProgram, IsRepeatedExactlyOnADeterministicMachine) {
  for (std::uint64_t seed = 6'000; seed < 6'020; ++seed) {
    const Config config = with_variations(deterministic_machine(seed), seed);
    const Course course = run_program(seed, config);
    EXPECT_EQ(run_program(seed, config), course) << "seed " << seed;
  }
}

/// The programs have what they are meant to try.
TEST(RandomProgram, HasEveryActionEveryFormAndErrors) {
  std::vector<int> actions(static_cast<std::size_t>(Action::kFunnel) + 1);
  std::vector<int> forms(6);
  int with_errors = 0;
  for (std::uint64_t seed = 5'000; seed < 5'200; ++seed) {
    const Program program = ProgramMaker(seed).make();
    with_errors += program.start.errors > 0;
    for (const Node& node : program.nodes) {
      for (const Step& step : node.steps) {
        ++actions[static_cast<std::size_t>(step.action)];
        if (step.action >= Action::kPipe) ++forms[static_cast<std::size_t>(step.form)];
      }
    }
  }
  EXPECT_GT(with_errors, 10);
  for (const int times : actions) EXPECT_GT(times, 10);
  for (const int times : forms) EXPECT_GT(times, 3);
}

}  // namespace
}  // namespace grappa::test
