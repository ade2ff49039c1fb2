// A pipeline over the cores: each stage waits for the word before it and fills the one behind it.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>

using namespace grappa;

constexpr int kStages = 10;
constexpr std::int64_t kItems = 200;

int main() {
  bool right = true;
  run([&] {
    // All empty; neighbors have different homes.
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

    std::int64_t in_order = 0;
    for (std::int64_t i = 0; i < kItems; ++i) {
      in_order += delegate::read_fe(words + kStages) == i + kStages;
    }
    stages.wait();
    global_free(words);
    std::printf("%lld of %lld items came through in order\n", static_cast<long long>(in_order),
                static_cast<long long>(kItems));
    right = in_order == kItems;
  });
  return right ? 0 : 1;
}
