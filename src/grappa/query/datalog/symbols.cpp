#include "grappa/query/datalog/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/container/key_traits.hpp"

namespace grappa::query::datalog {
namespace {

void require_same(std::string_view a, std::string_view b) {
  if (a != b) throw Error(fmt::format("the symbols \"{}\" and \"{}\" have the same hash", a, b));
}

}  // namespace

std::size_t SymbolTable::place(Word word) const {
  std::size_t at = word & (slots_.size() - 1);
  while (slots_[at].text.data() != nullptr && slots_[at].word != word)
    at = (at + 1) & (slots_.size() - 1);
  return at;
}

const std::string_view* SymbolTable::find(Word word) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = slots_[place(word)];
  return slot.text.data() == nullptr ? nullptr : &slot.text;
}

bool SymbolTable::add(Word word, std::string_view text) {
  if (2 * (size_ + 1) > slots_.size()) {
    std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()));
    std::swap(old, slots_);
    for (const Slot& slot : old)
      if (slot.text.data() != nullptr) slots_[place(slot.word)] = slot;
  }
  Slot& slot = slots_[place(word)];
  if (slot.text.data() != nullptr) {
    require_same(slot.text, text);
    return false;
  }
  slot = {word, text};
  ++size_;
  return true;
}

void SymbolTable::clear() {
  slots_.clear();
  size_ = 0;
}

Word Symbols::intern(std::string_view text, int core) {
  const Word word = hash_bytes(text.data(), text.size());
  Core& mine = cores_[static_cast<std::size_t>(core)];
  const std::string_view* known = known_.find(word);
  if (known == nullptr) known = mine.added.find(word);
  if (known != nullptr) {
    require_same(*known, text);
    return word;
  }
  // Of at least a byte, so that an empty text has a place, too.
  const std::size_t bytes = std::max<std::size_t>(text.size(), 1);
  if (bytes > mine.left) {
    constexpr std::size_t kBlock = std::size_t{64} << 10;
    mine.left = std::max(bytes, kBlock);
    mine.blocks.push_back(std::make_unique_for_overwrite<char[]>(mine.left));
    mine.next = mine.blocks.back().get();
  }
  if (!text.empty()) std::memcpy(mine.next, text.data(), text.size());
  mine.added.add(word, {mine.next, text.size()});
  mine.next += bytes;
  mine.left -= bytes;
  return word;
}

std::string_view Symbols::text(Word word, int core) const {
  if (const std::string_view* const known = known_.find(word)) return *known;
  return *cores_[static_cast<std::size_t>(core)].added.find(word);
}

void Symbols::merge(const std::function<void(std::string_view text)>& take) {
  for (Core& core : cores_) {
    if (core.added.size() == 0) continue;
    core.added.for_each([&](Word word, std::string_view text) {
      if (known_.add(word, text) && take) take(text);
    });
    core.added.clear();
  }
}

}  // namespace grappa::query::datalog
