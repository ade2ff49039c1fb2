#pragma once

// Texts as words. The word of a text is a hash of it, so that all locales have the same one without
// asking; that two texts share one is an error, which ten million texts meet once in 400,000 times.
//
//   Symbols symbols(cores);
//   const Word word = symbols.intern("tea", core);   // each core at the same time
//   symbols.text(word, core);                        // by the core that made it, or after merge()
//   symbols.merge([](std::string_view text) { … });  // alone: what is new, by its text
//
// Errors: Error for texts that share a word.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "grappa/query/datalog/program.hpp"

namespace grappa::query::datalog {

/// Texts by their words. For one core, unless nobody adds any.
class SymbolTable {
 public:
  /// Null if there is none.
  const std::string_view* find(Word word) const;
  /// Whether the text, which stays where it is, is new.
  bool add(Word word, std::string_view text);
  std::size_t size() const { return size_; }
  void clear();
  template <class F>
  void for_each(F&& f) const {
    for (const Slot& slot : slots_)
      if (slot.text.data() != nullptr) f(slot.word, slot.text);
  }

 private:
  struct Slot {
    Word word = 0;
    std::string_view text;
  };
  std::size_t place(Word word) const;

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

class Symbols {
 public:
  explicit Symbols(int cores) : cores_(static_cast<std::size_t>(cores)) {}

  Word intern(std::string_view text, int core);
  std::string_view text(Word word, int core) const;
  void merge(const std::function<void(std::string_view text)>& take = {});

 private:
  // On lines of their own, since cores change them at the same time.
  struct alignas(64) Core {
    SymbolTable added;
    std::vector<std::unique_ptr<char[]>> blocks;
    std::size_t left = 0;
    char* next = nullptr;
  };

  SymbolTable known_;
  std::vector<Core> cores_;
};

}  // namespace grappa::query::datalog
