#include "grappa/io/uninitialized_vector.hpp"

#include "grappa/base/huge_pages.hpp"

namespace grappa::io::detail {

void* allocate_large(std::size_t bytes) {
  const std::size_t huge = internal::huge_page_size();
  void* memory = ::operator new(bytes, std::align_val_t{huge});
  internal::advise_huge(memory, bytes);
  return memory;
}

void deallocate_large(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, bytes, std::align_val_t{internal::huge_page_size()});
}

}  // namespace grappa::io::detail
