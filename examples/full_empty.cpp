// A pipeline over the cores: each stage waits for the word before it and fills the one behind it.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>

using namespace grappa;

constexpr int kStages = 10;
constexpr std::int64_t kItems = 200;

int main() {
  std::int64_t right = 0;
  run([&] {
    // All empty; neighbours have different homes.
    const auto words = global_alloc<FullEmpty<std::int64_t>>(kStages + 1);

    CompletionEvent stages;
    for (int s = 0; s < kStages; ++s) {
      spawn_on(stages, s % core_count(), [=] {
        for (std::int64_t i = 0; i < kItems; ++i) {
          const std::int64_t item = delegate::read_fe(words + s);  // waits until full, empties
          delegate::write_ef(words + s + 1, item + 1);             // waits until empty, fills
        }
      });
    }
    spawn(stages, [=] {
      for (std::int64_t i = 0; i < kItems; ++i) delegate::write_ef(words, i);
    });

    for (std::int64_t i = 0; i < kItems; ++i) {
      right += delegate::read_fe(words + kStages) == i + kStages;
    }
    stages.wait();
    global_free(words);
  });
  std::printf("%lld of %lld items came through in order\n", static_cast<long long>(right),
              static_cast<long long>(kItems));
  return right == kItems ? 0 : 1;
}
