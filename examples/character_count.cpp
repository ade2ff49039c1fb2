// "Character count", figure 1 of J. Nelson et al., "Latency-tolerant software distributed shared
// memory" (USENIX ATC 2015): a hash table in global memory, updated from everywhere.

#include <grappa/grappa.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

using namespace grappa;

constexpr std::string_view kText = "it trades latency for throughput, and that pays off";
constexpr std::int64_t nchars = 100'000;
constexpr std::size_t ncells = 16;

char text_at(std::int64_t i) { return kText[static_cast<std::size_t>(i) % kText.size()]; }

GlobalAddress<char> load_input() {
  const auto chars = global_alloc<char>(nchars);
  forall(chars, nchars, [](std::int64_t i, char& c) { c = text_at(i); });
  return chars;
}

using Cell = std::map<char, int>;
using Entries = std::vector<std::pair<char, int>>;

int main() {
  bool right = true;
  run([&] {
    // distributed input array
    GlobalAddress<char> chars = load_input();

    // distributed hash table:
    GlobalAddress<Cell> cells = global_alloc<Cell>(ncells);

    forall(chars, nchars, [=](char& c) {
      // hash the char to determine destination
      std::size_t idx = std::hash<char>{}(c) % ncells;
      delegate::call(&cells[idx], [=](Cell& cell) {  // runs atomically
        if (cell.count(c) == 0)
          cell[c] = 1;
        else
          cell[c] += 1;
      });
    });

    Cell counts;
    for (std::size_t i = 0; i < ncells; ++i) {
      const Entries entries =
          delegate::call(&cells[i], [](Cell& cell) { return Entries(cell.begin(), cell.end()); });
      for (const auto& [c, n] : entries) counts[c] = n;
    }
    global_free(cells);
    global_free(chars);

    Cell expected;
    for (std::int64_t i = 0; i < nchars; ++i) ++expected[text_at(i)];
    right = counts == expected;
    for (const char c : {'t', 'o', 'z'}) std::printf("'%c' occurs %d times\n", c, counts[c]);
  });
  return right ? 0 : 1;
}
