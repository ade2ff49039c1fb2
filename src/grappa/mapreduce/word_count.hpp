#pragma once

// How often each word of some files occurs.
//
//   const auto counts = count_words({"moby.txt"}, {.lower = true});
//   for (const auto& [word, times] : counts.top(10, most_frequent_first)) use(word, times);
//
// Called by one task; switches tasks. Errors: those of read_lines (dataset.hpp).

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/mapreduce/dataset.hpp"
#include "grappa/mapreduce/words.hpp"

namespace grappa::mapreduce {

/// A dataset of pairs: a word, and how often it occurs in all files.
inline auto count_words(const std::vector<std::string>& files, const WordRules& rules,
                        const DatasetOptions& options = {}) {
  using Word = std::pair<std::string_view, std::int64_t>;
  const auto count = [&rules](const auto& texts) {
    return texts
        .template flat_map<Word>([rules](std::string_view text, auto emit) {
          for_each_word(text, rules, [&](std::string_view word) { emit(Word(word, 1)); });
        })
        .reduce_by_key(std::plus<>());
  };
  // Words end with their lines, so that it takes lines only to keep n-grams apart.
  return rules.ngrams == 1 ? count(read_text(files, options)) : count(read_lines(files, options));
}

/// Words that are equally frequent are in the order of their bytes.
inline constexpr auto most_frequent_first = [](const auto& a, const auto& b) {
  return a.second != b.second ? a.second > b.second : a.first < b.first;
};

}  // namespace grappa::mapreduce
