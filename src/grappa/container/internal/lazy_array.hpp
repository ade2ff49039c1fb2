#pragma once

// LazyArray<T>: memory for up to n values, which is there when it is touched, in huge pages where
// there are such. append() adds values, of which it has size(); data() may be written beyond them.
// T: trivially copyable. UsageError when there is not enough address space.

#include <algorithm>
#include <cstddef>
#include <span>

#include "grappa/base/huge_pages.hpp"

namespace grappa::internal {

template <class T>
class LazyArray {
 public:
  explicit LazyArray(std::size_t n)
      : memory_(
            Mapping::reserve({.bytes = std::max<std::size_t>(n, 1) * sizeof(T),
                              .alignment = n * sizeof(T) >= huge_page_size() ? huge_page_size() : 0,
                              .purpose = "sorting"})) {
    advise_huge(memory_.data(), memory_.size());
  }
  void append(std::span<const T> values) {
    std::copy(values.begin(), values.end(), data() + size_);
    size_ += values.size();
  }
  T* data() { return reinterpret_cast<T*>(memory_.data()); }
  std::size_t size() const { return size_; }

 private:
  Mapping memory_;
  std::size_t size_ = 0;
};

}  // namespace grappa::internal
