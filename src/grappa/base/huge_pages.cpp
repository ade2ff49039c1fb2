#include "grappa/base/huge_pages.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/text_values.hpp"

namespace grappa::internal {
namespace {

// The whole pages inside a range.
struct PageRange {
  void* data;
  std::size_t bytes;
};

PageRange whole_pages(void* data, std::size_t bytes) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = round_up(first, page_size());
  const std::uintptr_t end = (first + bytes) & ~(page_size() - 1);
  return {reinterpret_cast<void*>(begin), end > begin ? end - begin : 0};
}

bool advise(void* data, std::size_t bytes, int advice) noexcept {
  const PageRange range = whole_pages(data, bytes);
  return range.bytes == 0 || madvise(range.data, range.bytes, advice) == 0;
}

[[noreturn]] void refuse_reservation(const MappingRequest& request, int error) {
  std::string text = fmt::format("cannot reserve {} of addresses for {}: {}",
                                 format_bytes(request.bytes), request.purpose, strerror(error));
  if (!request.knob.empty()) text += fmt::format("; lower {}", request.knob);
  if (error == ENOMEM) text += " (the limits are `ulimit -v` and vm.overcommit_memory)";
  throw Error(text);
}

}  // namespace

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t huge_page_size() noexcept {
  static const std::size_t size = [] {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    std::size_t value = 0;
    return file >> value && std::has_single_bit(value) ? value : std::size_t{2} << 20;
  }();
  return size;
}

Mapping Mapping::reserve(const MappingRequest& request) {
  const std::size_t page = page_size();
  const std::size_t alignment = request.alignment < page ? page : request.alignment;
  if (request.bytes == 0) {
    throw UsageError(fmt::format("cannot reserve 0 bytes for {}", request.purpose));
  }
  if (request.alignment != 0 && !std::has_single_bit(request.alignment)) {
    throw UsageError(fmt::format("alignment of {}: {} is not a power of two", request.purpose,
                                 request.alignment));
  }
  // Anything near the end of the address space cannot succeed; refused here, sums cannot overflow.
  constexpr std::size_t kMax = SIZE_MAX / 4;
  if (request.bytes > kMax || alignment > kMax) refuse_reservation(request, ENOMEM);

  const std::size_t size = round_up(request.bytes, page);
  const std::size_t slack = alignment - page;
  const int protection =
      request.access == MappingAccess::kNone ? PROT_NONE : PROT_READ | PROT_WRITE;
  void* raw =
      mmap(nullptr, size + slack, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) refuse_reservation(request, errno);

  // Give back what lies before and behind the aligned part.
  auto* begin = static_cast<std::byte*>(raw);
  const std::size_t before = round_up(reinterpret_cast<std::uintptr_t>(begin), alignment) -
                             reinterpret_cast<std::uintptr_t>(begin);
  if (before > 0) munmap(begin, before);
  if (slack > before) munmap(begin + before + size, slack - before);
  return Mapping(begin + before, size);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  Mapping taken(std::move(other));
  std::swap(data_, taken.data_);
  std::swap(size_, taken.size_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

void make_accessible(void* data, std::size_t bytes) {
  if (mprotect(data, bytes, PROT_READ | PROT_WRITE) != 0) {
    throw Error(fmt::format("cannot make {} at {} accessible: {}", format_bytes(bytes), data,
                            strerror(errno)));
  }
}

bool advise_huge(void* data, std::size_t bytes) noexcept {
  return advise(data, bytes, MADV_HUGEPAGE);
}

bool advise_small(void* data, std::size_t bytes) noexcept {
  return advise(data, bytes, MADV_NOHUGEPAGE);
}

void release_pages(void* data, std::size_t bytes) {
  if (!advise(data, bytes, MADV_DONTNEED)) {
    throw Error(
        fmt::format("cannot give back {} at {}: {}", format_bytes(bytes), data, strerror(errno)));
  }
}

}  // namespace grappa::internal
