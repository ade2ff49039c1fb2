#pragma once

// The words of a text.
//
//   const WordRules rules{.lower = true};
//   for_each_word("The cat, the CAT", rules, [](std::string_view word) { use(word); });
//
// A word is a run of characters other than white space: what Unicode calls so, and the control
// characters U+001C to U+001F (the same as in Python's str.split). With rules.letters it is a run
// of letters, in any script, as the C library has it for UTF-8 (iswalpha). With rules.lower,
// letters become small ones first, one by one (towlower). Bytes that are no UTF-8 are part of
// words, and no letters. With rules.ngrams = n, n words that follow one another in the text are
// one, with a blank between them.
//
// A word that is emitted is valid until the emitting function returns. Any thread; never suspends.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace grappa::mapreduce {

struct WordRules {
  bool lower = false;
  bool letters = false;
  int ngrams = 1;
};

namespace detail {

/// Sixty-four bytes from `text` on: a bit for each that belongs to white space. `carry` holds those
/// of the next block that belong to a character that begins in this one. `end`: of the text; what
/// is behind it counts as white space.
std::uint64_t space_bits(const char* text, const char* end, std::uint64_t& carry);

std::string lowered(std::string_view text);

/// Appends the runs of letters.
void find_letters(std::string_view text, std::vector<std::string_view>& words);

template <class Emit>
void each_run_between_spaces(std::string_view text, Emit&& emit) {
  const char* const end = text.data() + text.size();
  const char* word = nullptr;  // where the current one began
  std::uint64_t carry = 0;
  for (const char* block = text.data(); block < end; block += 64) {
    const std::uint64_t spaces = space_bits(block, end, carry);
    // Bits of the places where words begin and, in turn, end.
    std::uint64_t edges = ~spaces ^ (~spaces << 1 | (word != nullptr ? 1 : 0));
    for (; edges != 0; edges &= edges - 1) {
      const char* const place = block + __builtin_ctzll(edges);
      if (word == nullptr) {
        word = place;
      } else {
        emit(std::string_view(word, place));
        word = nullptr;
      }
    }
  }
  if (word != nullptr) emit(std::string_view(word, end));
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
  if (rules.lower) text = changed = detail::lowered(text);
  if (!rules.letters && rules.ngrams == 1) return detail::each_run_between_spaces(text, emit);
  std::vector<std::string_view> words;
  if (rules.letters) {
    detail::find_letters(text, words);
  } else {
    detail::each_run_between_spaces(text, [&](std::string_view word) { words.push_back(word); });
  }
  if (rules.ngrams > 1)
    return detail::each_ngram(words, static_cast<std::size_t>(rules.ngrams), emit);
  for (const std::string_view word : words) emit(word);
}

}  // namespace grappa::mapreduce
