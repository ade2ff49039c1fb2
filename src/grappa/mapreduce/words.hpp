#pragma once

// The words of a text.
//
//   const WordRules rules{.lower = true};
//   for_each_word("The cat, the CAT", rules, [](std::string_view word) { use(word); });
//
// A word is a run of characters other than white space: what Unicode calls so, and the control
// characters U+001C to U+001F (the same as in Python's str.split). With rules.letters it is a run
// of letters, in any script, as the C library has it for UTF-8 (iswalpha), with the combining marks
// (Unicode's category M) that follow them, such as accents of their own. With rules.lower, letters
// become small ones first, one by one (towlower). Bytes that are no UTF-8 are part of words, and no
// letters. With rules.ngrams = n, n words that follow one another in the text are one, with a blank
// between them.
//
// A word that is emitted is valid until the emitting function returns. Any thread; never suspends.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/base/letter_case.hpp"

namespace grappa::mapreduce {

struct WordRules {
  bool lower = false;
  bool letters = false;
  int ngrams = 1;
};

namespace detail {

/// What a block passes on to the next.
struct Crossing {
  std::uint64_t bytes = 0;       // that belong to its last character, a bit a byte
  std::uint64_t separators = 0;  // of these
  std::uint64_t inside = 0;      // 1: its last byte was part of a word
};

/// Sixty-four bytes from `text` on: a bit for each that is no part of a word: white space, or with
/// `letters` what is no letter. `end`: of the text; what is behind it counts as white space.
std::uint64_t separator_bits(const char* text, const char* end, bool letters, Crossing& crossing);

template <class Emit>
void each_word(std::string_view text, bool letters, Emit&& emit) {
  const char* const end = text.data() + text.size();
  const char* word = nullptr;  // where the current one began
  Crossing crossing;
  for (const char* block = text.data(); block < end; block += 64) {
    const std::uint64_t inside = crossing.inside;
    const std::uint64_t parts = ~separator_bits(block, end, letters, crossing);
    const std::uint64_t before = parts << 1 | inside;
    std::uint64_t begins = parts & ~before;
    const auto begin_next = [&] {
      word = block + std::countr_zero(begins);
      begins &= begins - 1;
    };
    if (inside == 0) begin_next();
    for (std::uint64_t ends = before & ~parts; ends != 0; ends &= ends - 1) {
      emit(std::string_view(word, block + std::countr_zero(ends)));
      begin_next();
    }
  }
  if (crossing.inside != 0) emit(std::string_view(word, end));
}

/// n words that follow one another, joined.
template <class Emit>
void each_ngram(const std::vector<std::string_view>& words, std::size_t n, Emit&& emit) {
  std::string joined;
  for (std::size_t first = 0; first + n <= words.size(); ++first) {
    joined.assign(words[first]);
    for (std::size_t i = 1; i < n; ++i) {
      joined += ' ';
      joined += words[first + i];
    }
    emit(std::string_view(joined));
  }
}

}  // namespace detail

/// emit(std::string_view) for each word of the text, in order.
template <class Emit>
void for_each_word(std::string_view text, const WordRules& rules, Emit&& emit) {
  std::string changed;
  if (rules.lower) {
    internal::append_lowered(text, changed);
    text = changed;
  }
  if (rules.ngrams == 1) return detail::each_word(text, rules.letters, emit);
  std::vector<std::string_view> words;
  detail::each_word(text, rules.letters, [&](std::string_view word) { words.push_back(word); });
  detail::each_ngram(words, static_cast<std::size_t>(rules.ngrams), emit);
}

}  // namespace grappa::mapreduce
