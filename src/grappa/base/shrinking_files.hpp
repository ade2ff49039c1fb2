#pragma once

// Mapped files that another program may shorten while they are read.
//
//   ShrinkGuard guard(mapping.data(), mapping.size());
//
// Without a guard, touching what is no longer in the file ends the process (SIGBUS). With it, zeros
// are read there and behind; whoever reads compares the file's size at the end to tell. A fault
// elsewhere goes to the handler that was there before. The handler is the process's: the first
// guard installs it, and it stays. Thread safety: all of it.

#include <cstddef>

namespace grappa::internal {

class ShrinkGuard {
 public:
  ShrinkGuard() noexcept = default;
  ShrinkGuard(std::byte* begin, std::size_t bytes);
  ShrinkGuard(ShrinkGuard&& other) noexcept;
  ShrinkGuard& operator=(ShrinkGuard&& other) noexcept;
  ShrinkGuard(const ShrinkGuard&) = delete;
  ShrinkGuard& operator=(const ShrinkGuard&) = delete;
  ~ShrinkGuard();

  struct Range;

 private:
  Range* range_ = nullptr;
};

}  // namespace grappa::internal
