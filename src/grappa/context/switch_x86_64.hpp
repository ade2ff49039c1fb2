#pragma once

// The switch itself for x86-64, inlined. Included by switch.hpp only.
//
// A suspended context is a pointer `context` to a SwitchFrame among the local variables of the
// function that left. There is no function call, and only live values are saved: the compiler is
// told that every register is clobbered, so it keeps what it still needs in its own frame, beside
// the SwitchFrame, and a switch touches few cache lines. Only the base pointer, which compilers do
// not accept as clobbered, is saved by hand.
//
// The switch ends in a jump. There is no call around it, so the return predictor stays in step
// while all contexts are left from the same call depth; where they wait in different places, the
// indirect-jump predictor learns from history what a return predictor could not know.
//
// The stack pointer is the old context's until the new one has loaded its own, so signal handlers
// may interrupt anywhere.
//
// There is no endbr64 at the target of the jump: Linux has no indirect branch tracking for
// programs.
//
// Macros of the compiler tell which registers exist. A function that has AVX-512 by an attribute,
// in a source file compiled without it, must not keep values in zmm16 to zmm31 or in mask registers
// across a switch.

#include <cstddef>

namespace grappa::internal {

/// Bytes around the address of a suspended context that its next steps usually read. Compilers put
/// spilled values below the variables of a function.
inline constexpr std::size_t kSavedBelow = 40;
inline constexpr std::size_t kSavedAbove = 24;

struct SwitchFrame {
  void (*resume)() noexcept;  // where to go on, with the address of this frame in rcx
  void* rbp;
  void* rsp;
};

}  // namespace grappa::internal

#ifdef __AVX512F__
#define GRAPPA_REGISTERS_OF_AVX512                                                              \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",   \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", \
      "k6", "k7"
#else
#define GRAPPA_REGISTERS_OF_AVX512
#endif

// Leaves a frame in *save and goes on with the one that `to` points at. No sanitizer learns of it:
// use switch_context, except where this very instruction sequence is to be measured.
[[gnu::always_inline]] inline void grappa_switch(void** save, void* to) noexcept {
  grappa::internal::SwitchFrame frame;
  grappa::internal::SwitchFrame* mine;
  // By hand: compilers would keep the address in the frame, at the price of one more load.
  asm volatile("leaq %1, %0" : "=b"(mine), "=m"(frame));
  asm volatile(
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rax, (%%rbx)\n\t"
      "movq %%rbp, 8(%%rbx)\n\t"
      "movq %%rsp, 16(%%rbx)\n\t"
      "movq %%rbx, (%%rdx)\n\t"
      "jmpq *(%%rcx)\n"
      "1:\n\t"
      "movq 8(%%rcx), %%rbp\n\t"
      "movq 16(%%rcx), %%rsp"
      : "+b"(mine), "+d"(save), "+c"(to)
      :
      : "rax", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15" GRAPPA_REGISTERS_OF_AVX512, "st", "st(1)", "st(2)", "st(3)",
        "st(4)", "st(5)", "st(6)", "st(7)", "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7",
        "memory", "cc");
}

#undef GRAPPA_REGISTERS_OF_AVX512
