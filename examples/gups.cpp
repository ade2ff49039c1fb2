// Random updates of a large table in five steps; each removes one inefficiency of the one before.
//   gups [log2 of the words of the table, 18 [updates for each word, 1]]

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>

using namespace grappa;
using Array = GlobalArray<std::int64_t>;

// 1. One task, one update after another: each waits for two round trips.
void one_task(Array table, Array indices, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t i = delegate::read(indices[k]);
    delegate::increment(table[i]);
  }
}

// 2. Many tasks: while one waits, others run.
void many_tasks(Array table, Array indices, std::int64_t n) {
  forall(n, [=](std::int64_t k) {
    const std::int64_t i = delegate::read(indices[k]);
    delegate::increment(table[i]);
  });
}

// 3. The loop goes where the indices are: one of the two round trips is gone.
void at_home(Array table, Array indices, std::int64_t) {
  indices.forall([=](std::int64_t& i) { delegate::increment(table[i]); });
}

// 4. Nobody needs an answer: no round trip, no suspended task.
void asynchronous(Array table, Array indices, std::int64_t) {
  indices.forall([=](std::int64_t& i) { delegate::async::increment(table[i]); });
}

// 5. Updates wait until many of them touch each line of the table.
void binned(Array table, Array indices, std::int64_t) {
  auto bins = BinnedIncrements<std::int64_t>::create(table);
  indices.forall([=](std::int64_t& i) { bins.increment(i); });
  bins.destroy();
}

int main(int argc, char** argv) {
  const std::int64_t words = std::int64_t{1} << (argc > 1 ? std::atoi(argv[1]) : 18);
  const std::int64_t updates = words * (argc > 2 ? std::atoi(argv[2]) : 1);
  bool right = true;
  run([&] {
    auto table = Array::create(words);
    auto indices = Array::create(updates);
    indices.forall([=](std::int64_t k, std::int64_t& i) {
      i = static_cast<std::int64_t>(hash_number(static_cast<std::uint64_t>(k)) % words);
    });
    const auto step = [&](const char* name, auto run_step, std::int64_t n) {
      const std::uint64_t start = run_time_ns();
      run_step(table, indices, n);
      const auto ns = static_cast<double>(run_time_ns() - start);
      std::printf("%-13s %8.3f million updates/s\n", name, static_cast<double>(n) / ns * 1000);
      // Undo: then all must be zero again, which no lost and no doubled update would leave it.
      indices.forall([=](std::int64_t k, std::int64_t& i) {
        if (k < n) delegate::async::increment(table[i], -1);
      });
      right = right && reduce(table, 0, [](auto a, auto b) { return a | b; }) == 0;
    };
    step("one task", one_task, 1000);
    step("many tasks", many_tasks, updates);
    step("at home", at_home, updates);
    step("asynchronous", asynchronous, updates);
    step("binned", binned, updates);
    std::printf("%s\n", right ? "all updates found and undone" : "WRONG: updates are missing");
    table.destroy();
    indices.destroy();
  });
  return right ? 0 : 1;
}
