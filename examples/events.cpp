// Completion events: what belongs to which, waiting for a part, nesting, work one counts oneself.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>

using namespace grappa;

int main() {
  bool right = true;
  run([&] {
    const GlobalAddress<std::int64_t> sum = global_alloc<std::int64_t>(2);
    const GlobalAddress<std::int64_t> late = sum + 1;

    // This task belongs to `background`, so the loop below does not wait for it.
    CompletionEvent background;
    spawn_on(background, core_count() - 1, [=] {
      sleep_for(2'000'000);
      delegate::async::increment(late);  // joins background, too
    });

    // Each of the outer iterations is done when its inner loop is; the outer loop when all are.
    forall(100, [=](std::int64_t) {
      forall(10, [=](std::int64_t j) { delegate::async::increment(sum, j); });
    });
    const std::int64_t after_loop = delegate::read(sum);
    std::printf("after the loop     %lld\n", static_cast<long long>(after_loop));

    background.wait();
    const std::int64_t after_wait = delegate::read(late);
    std::printf("after the wait     %lld\n", static_cast<long long>(after_wait));

    // An event counts anything: here, letters that tasks of this core put into a box.
    int letters = 0;
    CompletionEvent box;
    box.enroll(3);
    for (int i = 0; i < 3; ++i) {
      spawn([&] {
        ++letters;
        box.complete();
      });
    }
    box.wait();
    std::printf("letters in the box %d\n", letters);

    right = after_loop == 100 * 45 && after_wait == 1 && letters == 3;
    global_free(sum);
  });
  return right ? 0 : 1;
}
