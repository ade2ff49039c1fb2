// The pairs of words that follow one another, most frequent first.

#include <grappa/mapreduce.hpp>

#include <cstdio>
#include <string_view>
#include <utility>

using namespace grappa;
using namespace grappa::mapreduce;

int main() {
  bool right = true;
  run([&] {
    using Pair = std::pair<std::string_view, std::int64_t>;
    const auto pairs =
        generate(
            100,
            [](std::int64_t i) {
              return std::string_view(i % 2 == 0 ? "to be or not to be" : "That is, or was, to be");
            })
            .flat_map<Pair>([](std::string_view line, auto emit) {
              const WordRules rules{.lower = true, .letters = true, .ngrams = 2};
              for_each_word(line, rules, [&](std::string_view pair) { emit(Pair(pair, 1)); });
            })
            .reduce_by_key(std::plus<>())
            .top(3, [](const auto& a, const auto& b) {
              return a.second != b.second ? a.second > b.second : a.first < b.first;
            });
    for (const auto& [pair, count] : pairs)
      std::printf("%s: %lld\n", pair.c_str(), static_cast<long long>(count));
    right = pairs[0].first == "to be" && pairs[0].second == 150;
  });
  return right ? 0 : 1;
}
