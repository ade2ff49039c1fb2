// For each word, the numbers of the texts that have it.

#include <grappa/mapreduce.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>

using namespace grappa;
using namespace grappa::mapreduce;

constexpr std::array<std::string_view, 3> kTexts = {"the cat sat on the mat", "a cat and a dog",
                                                    "the dog sat"};

int main() {
  bool right = true;
  run([&] {
    using Place = std::pair<std::string_view, std::set<std::int64_t>>;
    const auto index =
        generate(std::ssize(kTexts), [](std::int64_t i) { return i; })
            .flat_map<Place>([](std::int64_t i, auto emit) {
              const auto text = kTexts[static_cast<std::size_t>(i)];
              for_each_word(text, {}, [&](std::string_view word) { emit(Place(word, {i})); });
            })
            .reduce_by_key([](auto& all, auto&& more) { all.merge(more); })
            .to_map();
    for (const auto& [word, texts] : index) {
      std::printf("%s:", word.c_str());
      for (const std::int64_t text : texts) std::printf(" %lld", static_cast<long long>(text));
      std::printf("\n");
    }
    right = index.at("cat") == std::set<std::int64_t>{0, 1} && index.size() == 8;
  });
  return right ? 0 : 1;
}
