// Counts words: those of a file, or of a line that repeats. mapreduce_word_count [FILE]

#include <grappa/mapreduce.hpp>

#include <cstdio>
#include <string_view>
#include <utility>

using namespace grappa;
using namespace grappa::mapreduce;

using Word = std::pair<std::string_view, std::int64_t>;

template <class Lines>
auto count_words(const Lines& lines) {
  return lines
      .template flat_map<Word>([](std::string_view line, auto emit) {
        for_each_word(line, {}, [&](std::string_view word) { emit(Word(word, 1)); });
      })
      .reduce_by_key(std::plus<>());
}

int main(int argc, char** argv) {
  bool right = true;
  run([&] {
    const auto most_frequent = [](const auto& counts) {
      return counts.top(5, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
      });
    };
    const auto rose = [](std::int64_t) { return std::string_view("a rose is a rose"); };
    const auto words = argc > 1 ? most_frequent(count_words(read_lines({argv[1]})))
                                : most_frequent(count_words(generate(1000, rose)));
    for (const auto& [word, count] : words)
      std::printf("%s %lld\n", word.c_str(), static_cast<long long>(count));
    right = argc > 1 || words[0] == std::pair(std::string("a"), std::int64_t{2000});
  });
  return right ? 0 : 1;
}
