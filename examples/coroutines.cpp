// Follows many linked lists at once, each by a coroutine: a cache line or two instead of a stack.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>

using namespace grappa;

constexpr std::int64_t kNodes = 1 << 16;
constexpr std::int64_t kLists = 1000;  // on each core
constexpr std::int64_t kSteps = 50;

// Reads what the node holds, which is the number of the next one, wherever it is.
Coroutine<std::int64_t> walk(GlobalArray<std::int64_t> next, std::int64_t node) {
  for (std::int64_t step = 0; step < kSteps; ++step) node = co_await co::read(next[node]);
  co_return node;
}

// Two walks one after the other, and the sum of where they end.
Coroutine<> add_ends(GlobalArray<std::int64_t> next, std::int64_t start, std::int64_t* sum) {
  const std::int64_t first = co_await walk(next, start);
  const std::int64_t second = co_await walk(next, first);
  *sum += second;  // coroutines of one core never run at the same time
}

int main() {
  bool right = true;
  run([&] {
    auto next = GlobalArray<std::int64_t>::create(kNodes);
    next.forall([](std::int64_t i, std::int64_t& value) { value = (i * 5 + 7) % kNodes; });
    const auto sums = symmetric_alloc<std::int64_t>();
    on_all_cores([=] {
      for (std::int64_t i = 0; i < kLists; ++i) {
        const std::int64_t start = (this_core() * kLists + i) % kNodes;
        spawn(add_ends(next, start, &sums.local()));
      }
    });
    const auto sum = reduce_cores([=] { return sums.local(); }, std::int64_t{0}, std::plus<>{});
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < core_count() * kLists; ++i) {
      std::int64_t node = i % kNodes;
      for (std::int64_t step = 0; step < 2 * kSteps; ++step) node = (node * 5 + 7) % kNodes;
      expected += node;
    }
    right = sum == expected;
    std::printf("%s: all lists end where they should\n", right ? "right" : "WRONG");
    symmetric_free(sums);
    next.destroy();
  });
  return right ? 0 : 1;
}
