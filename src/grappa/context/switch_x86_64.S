// Where a new context begins, System V ABI for x86-64. The switch is in switch_x86_64.hpp.
//
// A context that has not run yet is a pointer, here in rcx, to this frame at the top of its stack:
//
//     rcx + 32   the argument of its entry function
//     rcx + 24   its entry function
//     rcx + 16   the stack pointer to begin with, a multiple of 64
//     rcx +  8   0
//     rcx +  0   grappa_context_start
//
// There is deliberately no .note.gnu.property: one that allowed a shadow stack would be wrong, since
// contexts take turns between a call and its return.

#if defined(__x86_64__)

// The undefined return address tells unwinders that this is the outermost frame: backtraces end
// here, and an exception that nobody catches ends in std::terminate. So does the base pointer of 0
// for a walk along frame pointers.
    .text
    .globl grappa_context_start
    .type grappa_context_start, @function
    .p2align 4
grappa_context_start:
    .cfi_startproc
    .cfi_undefined %rip
    endbr64
    movq 16(%rcx), %rsp
    movq 32(%rcx), %rdi
    xorl %ebp, %ebp
    callq *24(%rcx)
    callq grappa_context_returned
    ud2
    .cfi_endproc
    .size grappa_context_start, .-grappa_context_start

#endif

    .section .note.GNU-stack, "", %progbits
