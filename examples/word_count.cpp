// Counts words: a hash map over all cores, updated from all of them without waiting for answers.

#include <grappa/grappa.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>

using namespace grappa;

constexpr std::array<std::string_view, 4> kLines = {
    "a task that waits gives way to a task that is ready",
    "a message that waits travels with the messages behind it",
    "the core that owns the memory does the work",
    "nobody waits for a lock",
};
constexpr std::int64_t kCopies = 1000;

int main() {
  bool right = true;
  run([&] {
    auto counts = GlobalHashMap<std::string, std::int64_t>::create();

    forall(kCopies * std::ssize(kLines), [=](std::int64_t i) {
      std::istringstream line{std::string(kLines[static_cast<std::size_t>(i) % kLines.size()])};
      for (std::string word; line >> word;) counts.async_upsert(word, 1, std::plus<>{});
    });

    const std::int64_t that = counts.find("that").value_or(0);
    const std::int64_t different = counts.size();
    const auto words = reduce_cores(
        [=] {
          std::int64_t mine = 0;
          counts.local_for_each([&](std::string_view, std::int64_t& n) { mine += n; });
          return mine;
        },
        std::int64_t{0}, std::plus<>{});
    counts.destroy();
    std::printf("%lld words, %lld different ones; \"that\" occurs %lld times\n",
                static_cast<long long>(words), static_cast<long long>(different),
                static_cast<long long>(that));
    right = words == 36 * kCopies && different == 24 && that == 4 * kCopies;
  });
  return right ? 0 : 1;
}
