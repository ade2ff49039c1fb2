// What programs for the original Grappa say otherwise, each as it is written now.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

using namespace grappa;

// Was a global variable, of which every core had its own. Now: one for each core, by
// symmetric_alloc.
bool count_on_each_core() {
  const auto count = symmetric_alloc<std::int64_t>();
  forall(1000, [=](std::int64_t) { ++count.local(); });
  const auto total = reduce_cores([=] { return count.local(); }, std::int64_t{0}, std::plus<>{});
  symmetric_free(count);
  return total == 1000;
}

// Was forall(start, count, body). Now the second number is the end.
bool run_from_start_to_end(GlobalAddress<std::int64_t> sum) {
  const std::int64_t start = 10;
  const std::int64_t count = 5;
  forall(start, start + count, [=](std::int64_t i) { delegate::async::increment(sum, i); });
  return delegate::read(sum) == 10 + 11 + 12 + 13 + 14;
}

// Was insert, which replaced the value of a key that was there.
bool replace_a_value() {
  auto map = GlobalHashMap<std::int64_t, std::int64_t>::create();
  map.insert_or_assign(7, 1);
  map.insert_or_assign(7, 2);
  map.insert(7, 3);  // keeps what is there
  const bool right = map.find(7) == 2;
  map.destroy();
  return right;
}

// Was a GlobalCompletionEvent, a global variable that the loop and the delegates named. Now any
// CompletionEvent counts work of all cores.
bool wait_for_all(GlobalAddress<std::int64_t> words) {
  CompletionEvent done;
  for (int core = 0; core < core_count(); ++core) {
    spawn_on(done, core, [=] { delegate::async::increment(words); });  // joins `done`, too
  }
  done.wait();
  return delegate::read(words) == core_count();
}

// Was Incoherent<T>::RO with start_acquire and block_until_acquired, and ::WO to write back.
bool fetch_and_write_back(GlobalAddress<std::int64_t> words, std::int64_t n) {
  std::vector<GlobalAddress<std::int64_t>> places;
  for (std::int64_t i = 0; i < n; ++i) places.push_back(words + i);
  std::vector<std::int64_t> values(places.size());
  delegate::gather<std::int64_t>(places, values);  // one wait for all of them
  for (std::int64_t& value : values) value += 100;
  delegate::scatter<std::int64_t>(places, values);
  return delegate::read(words + (n - 1)) == values.back();
}

// Was a SuspendedDelegate, which waited at the home core. Now a full/empty word of any core can be
// waited for, and what blocks otherwise is a task of that core.
bool wait_elsewhere() {
  const auto word = global_alloc<FullEmpty<std::int64_t>>(1);
  CompletionEvent done;
  spawn_on(done, word.core(), [=] { word.pointer()->write_ef(42); });  // may wait
  const std::int64_t value = delegate::read_fe(word);
  done.wait();
  global_free(word);
  return value == 42;
}

// Was delegate::call_async and a Promise.
bool ask_two_at_once(GlobalAddress<std::int64_t> words) {
  auto first = delegate::issue_read(words);
  auto second = delegate::issue_read(words + 1);
  return first.complete() + second.complete() == 0;
}

int main() {
  bool right = true;
  run([&] {
    const auto expect = [&](const char* what, bool is_right) {
      std::printf("%-5s %s\n", is_right ? "right" : "WRONG", what);
      right = right && is_right;
    };
    const std::int64_t n = 64;
    const auto words = global_alloc<std::int64_t>(n);
    expect("ask_two_at_once", ask_two_at_once(words));
    expect("count_on_each_core", count_on_each_core());
    expect("run_from_start_to_end", run_from_start_to_end(words + 1));
    expect("replace_a_value", replace_a_value());
    expect("wait_for_all", wait_for_all(words));
    expect("fetch_and_write_back", fetch_and_write_back(words, n));
    expect("wait_elsewhere", wait_elsewhere());
    global_free(words);
  });
  return right ? 0 : 1;
}
