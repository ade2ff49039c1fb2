#pragma once

// ZeroedWords: an array of zeros for a hash table.
//
//   ZeroedWords slots(std::size_t{1} << 22);
//   slots[place] = address;
//
// A large one is memory that the kernel hands out when it is touched: by the core that does so, in
// huge pages where there are such, and not at all where nobody does.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "grappa/base/huge_pages.hpp"
#include "grappa/query/memory_budget.hpp"

namespace grappa::query {

class ZeroedWords {
 public:
  ZeroedWords() = default;
  explicit ZeroedWords(std::size_t size, MemoryBudget* budget = nullptr)
      : size_(size), charge_(budget) {
    charge_.add(size * sizeof(std::uint64_t));
    if (size * sizeof(std::uint64_t) < kLeastMapped) {
      small_ = std::make_unique<std::uint64_t[]>(size);
      words_ = small_.get();
    } else {
      mapping_ =
          grappa::internal::Mapping::reserve({.bytes = size * sizeof(std::uint64_t),
                                              .alignment = grappa::internal::huge_page_size(),
                                              .purpose = "the hash table of a query"});
      grappa::internal::advise_huge(mapping_.data(), mapping_.size());
      words_ = reinterpret_cast<std::uint64_t*>(mapping_.data());
    }
  }

  void clear() { std::fill_n(words_, size_, 0); }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::uint64_t& operator[](std::size_t i) { return words_[i]; }
  const std::uint64_t& operator[](std::size_t i) const { return words_[i]; }
  const std::uint64_t* begin() const { return words_; }
  const std::uint64_t* end() const { return words_ + size_; }

 private:
  static constexpr std::size_t kLeastMapped = std::size_t{1} << 20;  // bytes

  std::size_t size_ = 0;
  MemoryCharge charge_;
  std::uint64_t* words_ = nullptr;
  std::unique_ptr<std::uint64_t[]> small_;
  grappa::internal::Mapping mapping_;
};

}  // namespace grappa::query
