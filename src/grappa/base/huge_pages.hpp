#pragma once

// Large anonymous mappings: address space first, memory when touched, huge pages on advice.
//
//   Mapping heap = Mapping::reserve({.bytes = 1ull << 30, .alignment = huge_page_size(),
//                                    .purpose = "global heap", .knob = "--heap-size"});
//   advise_huge(heap.data(), heap.size());
//   release_pages(heap.data(), heap.size());   // memory goes back, the addresses stay
//
// A reservation takes no memory and counts against no limit but the address space (and `ulimit
// -v`); pages appear, zeroed, when they are first touched, on the NUMA node of the toucher.
// Errors: an Error names the size, the purpose and the option that makes it smaller.
// Thread safety: different ranges may be used from different threads. Nothing suspends a task.

#include <cstddef>
#include <string_view>

namespace grappa::internal {

std::size_t page_size() noexcept;       // bytes, of the ordinary pages
std::size_t huge_page_size() noexcept;  // bytes, of transparent huge pages; 2 MiB if unknown

/// `bytes` rounded up to a multiple of `granule`, which is a power of two.
constexpr std::size_t round_up(std::size_t bytes, std::size_t granule) noexcept {
  return (bytes + granule - 1) & ~(granule - 1);
}

enum class MappingAccess {
  kReadWrite,  // usable at once
  kNone        // touching it is a fault until make_accessible
};

struct MappingRequest {
  std::size_t bytes = 0;      // rounded up to whole pages; not 0
  std::size_t alignment = 0;  // power of two; 0: a page
  MappingAccess access = MappingAccess::kReadWrite;
  std::string_view purpose = "memory";  // for the error: what it is for
  std::string_view knob = {};           // for the error: which option makes it smaller
};

/// Owns a range of addresses. Movable; a moved-from or default Mapping is empty.
class Mapping {
 public:
  Mapping() noexcept = default;
  static Mapping reserve(const MappingRequest& request);  // throws Error, UsageError

  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }  // bytes
  explicit operator bool() const noexcept { return data_ != nullptr; }

  bool contains(const void* address) const noexcept {
    const auto* p = static_cast<const std::byte*>(address);
    return p >= data_ && p < data_ + size_;
  }

 private:
  Mapping(std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Makes a part of a kNone mapping usable. Whole pages. Throws Error.
void make_accessible(void* data, std::size_t bytes);

/// Asks the kernel for huge pages (advise_small: for ordinary ones) in the whole pages of a range.
/// This is advice: false when the kernel has no transparent huge pages, and no harm is done.
bool advise_huge(void* data, std::size_t bytes) noexcept;
bool advise_small(void* data, std::size_t bytes) noexcept;

/// Gives the memory of the whole pages in a range back; they read as zero afterwards. Throws Error.
void release_pages(void* data, std::size_t bytes);

}  // namespace grappa::internal
