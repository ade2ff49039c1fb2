// What programs for YGM say otherwise, each as it is written here.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

using namespace grappa;

// world.async(rank, f, arguments …): what f needs is captured, and where it runs is a core.
// world.barrier(): on_all_cores returns when its closures and all that they caused have finished.
bool message_every_rank() {
  const auto received = symmetric_alloc<std::int64_t>();
  on_all_cores([=] {
    for (int to = 0; to < core_count(); ++to) {
      delegate::async::call(to, [=] { ++received.local(); });
    }
  });
  // ygm::sum(value, world)
  const auto sum = reduce_cores([=] { return received.local(); }, std::int64_t{0}, std::plus<>{});
  symmetric_free(received);
  return sum == std::int64_t{core_count()} * core_count();
}

// ygm::container::map and counting_set: async_visit and async_reduce are async_upsert.
bool count_words(const std::vector<std::string>& words) {
  auto counts = GlobalHashMap<std::string, std::int64_t>::create();
  CompletionEvent counted;
  for (const std::string& word : words) counts.async_upsert(counted, word, 1, std::plus<>{});
  counted.wait();
  // for_all: runs where the entries are, and returns when all is done.
  const auto total = symmetric_alloc<std::int64_t>();
  counts.forall([=](std::string_view, std::int64_t& count) { total.local() += count; });
  const auto sum = reduce_cores([=] { return total.local(); }, std::int64_t{0}, std::plus<>{});
  const bool right = sum == std::ssize(words) && counts.find("a") == 2 && counts.size() == 2;
  symmetric_free(total);
  counts.destroy();
  return right;
}

// ygm::container::array: async_binary_op_update_value, for_all
bool update_an_array(std::int64_t n) {
  auto array = GlobalArray<std::int64_t>::create(n);
  forall(10 * n, [=](std::int64_t k) { delegate::async::increment(array[k % n]); });
  array.forall([](std::int64_t i, std::int64_t& x) { x += i; });
  const bool right = delegate::read(array[n - 1]) == 10 + n - 1;
  array.destroy();
  return right;
}

// A handler that needs an answer: a task may wait for one, which a handler of YGM may not.
bool follow_a_chain(std::int64_t n) {
  auto next = GlobalArray<std::int64_t>::create(n);
  next.forall([n](std::int64_t i, std::int64_t& x) { x = (i + 1) % n; });
  std::int64_t at = 0;
  for (std::int64_t step = 0; step < n; ++step) at = delegate::read(next[at]);
  next.destroy();
  return at == 0;
}

int main() {
  bool right = true;
  run([&] {
    const auto expect = [&](const char* what, bool is_right) {
      std::printf("%-5s %s\n", is_right ? "right" : "WRONG", what);
      right = right && is_right;
    };
    expect("message_every_rank", message_every_rank());
    expect("count_words", count_words({"a", "word", "a"}));
    expect("update_an_array", update_an_array(100));
    expect("follow_a_chain", follow_a_chain(20));
  });
  return right ? 0 : 1;
}
