// Where the elements of an array live: the three distributions, and each core's own part.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>

using namespace grappa;

constexpr std::int64_t kElements = 32;

bool show(const char* name, Distribution distribution) {
  auto array = GlobalArray<int>::create(kElements, distribution);
  array.forall([](std::int64_t i, int& x) { x = static_cast<int>(i) * this_core(); });

  std::printf("%-9s", name);
  bool right = true;
  for (std::int64_t i = 0; i < kElements; ++i) {
    std::printf(" %d", array.home(i));
    right = right && delegate::read(array[i]) == static_cast<int>(i) * array.home(i);
  }
  std::printf("\n");

  // The same elements, seen from their cores: a plain span, without communication.
  const std::int64_t owned = reduce_cores(
      [=] {
        std::int64_t mine = 0;
        for (std::int64_t k = 0; k < array.local_size(); ++k) {
          mine += array.local()[static_cast<std::size_t>(k)] == array.global_index(k) * this_core();
        }
        return mine;
      },
      std::int64_t{0}, std::plus<>{});
  array.destroy();
  return right && owned == kElements;
}

int main() {
  bool right = true;
  run([&] {
    right = show("block", Distribution::kBlock) && right;
    right = show("cyclic", Distribution::kCyclic) && right;
    right = show("permuted", Distribution::kPermuted) && right;
  });
  return right ? 0 : 1;
}
