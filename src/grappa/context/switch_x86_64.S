// void grappa_switch(void** save_sp, void* to_sp), System V ABI for x86-64. See switch.hpp.
//
// A suspended context is a stack pointer `sp` to this frame:
//
//     sp + 56   the stack of the function that called grappa_switch
//     sp + 48   return address into it; grappa_context_start in a context that has not run yet
//     sp + 40   rbp; 0 in a new context, which ends a walk along frame pointers
//     sp + 32   rbx; in a new context the argument of its entry function
//     sp + 24   r12; in a new context its entry function
//     sp + 16   r13
//     sp +  8   r14
//     sp +  0   r15
//
// The switch ends in `ret` and not in a jump: each `call` then has its `ret`, so that the processor's
// return predictor stays in step and the returns above the switch are predicted, too. Contexts that
// are all left from the same depth, the usual case, mispredict nothing. (A jump costs 15 ns more with
// two frames above the switch.) Moves beat pushes and pops, whose stack-pointer updates the
// processor must bring together with the explicit ones, from about a hundred contexts on.
//
// There is deliberately no .note.gnu.property: one that allowed a shadow stack would be wrong, since
// the return address here is not the one of the last call.

#if defined(__x86_64__)

    .text
    .globl grappa_switch
    .type grappa_switch, @function
    .globl grappa_switch_resume         // for debuggers: the pc of every suspended context
    .p2align 6
grappa_switch:
    .cfi_startproc
    endbr64
    movq %rbp, -8(%rsp)                 // in the red zone, which signal handlers leave alone
    movq %rbx, -16(%rsp)
    movq %r12, -24(%rsp)
    movq %r13, -32(%rsp)
    movq %r14, -40(%rsp)
    movq %r15, -48(%rsp)
    leaq -48(%rsp), %rax
    movq %rax, (%rdi)
    movq %rsi, %rsp
    .cfi_def_cfa_offset 56
    .cfi_offset %rbp, -16
    .cfi_offset %rbx, -24
    .cfi_offset %r12, -32
    .cfi_offset %r13, -40
    .cfi_offset %r14, -48
    .cfi_offset %r15, -56
grappa_switch_resume:
    movq (%rsp), %r15
    movq 8(%rsp), %r14
    movq 16(%rsp), %r13
    movq 24(%rsp), %r12
    movq 32(%rsp), %rbx
    movq 40(%rsp), %rbp
    addq $48, %rsp
    .cfi_def_cfa_offset 8
    .cfi_restore %rbp
    .cfi_restore %rbx
    .cfi_restore %r12
    .cfi_restore %r13
    .cfi_restore %r14
    .cfi_restore %r15
    ret
    .cfi_endproc
    .size grappa_switch, .-grappa_switch

// Where a new context begins. The stack pointer is at the top of its stack, a multiple of 64. The
// undefined return address tells unwinders that this is the outermost frame: backtraces end here,
// and an exception that nobody catches ends in std::terminate.
    .globl grappa_context_start
    .type grappa_context_start, @function
    .p2align 4
grappa_context_start:
    .cfi_startproc
    .cfi_undefined %rip
    endbr64
    movq %rbx, %rdi
    callq *%r12
    callq grappa_context_returned
    ud2
    .cfi_endproc
    .size grappa_context_start, .-grappa_context_start

#endif

    .section .note.GNU-stack, "", %progbits
