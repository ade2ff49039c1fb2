// void grappa_switch(void** save_sp, void* to_sp), AAPCS64. See switch.hpp.
//
// A suspended context is a stack pointer `sp` to this frame:
//
//     sp + 160   the stack of the function that called grappa_switch
//     sp +  96   d8 to d15 (the ABI preserves the low halves of v8 to v15)
//     sp +  88   x30, the return address; grappa_context_start in a context that has not run yet
//     sp +  80   x29; 0 in a new context, which ends a walk along frame pointers
//     sp +  16   x21 to x28
//     sp +   8   x20; in a new context the argument of its entry function
//     sp +   0   x19; in a new context its entry function
//
// The switch ends in `ret`, which keeps the processor's return predictor in step with the calls (the
// x86-64 file says what that is worth). x18 is the platform's register and fpcr the core's: neither
// is saved. Return addresses that callers signed (PAC) are theirs to check; x30 itself is not signed.

#if defined(__aarch64__)

    .text
    .globl grappa_switch
    .type grappa_switch, %function
    .globl grappa_switch_resume         // for debuggers: the pc of every suspended context
    .p2align 6
grappa_switch:
    .cfi_startproc
    hint #34                            // bti c
    sub sp, sp, #160
    .cfi_def_cfa_offset 160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    .cfi_offset x19, -160
    .cfi_offset x20, -152
    .cfi_offset x21, -144
    .cfi_offset x22, -136
    .cfi_offset x23, -128
    .cfi_offset x24, -120
    .cfi_offset x25, -112
    .cfi_offset x26, -104
    .cfi_offset x27, -96
    .cfi_offset x28, -88
    .cfi_offset x29, -80
    .cfi_offset x30, -72
    .cfi_offset d8, -64
    .cfi_offset d9, -56
    .cfi_offset d10, -48
    .cfi_offset d11, -40
    .cfi_offset d12, -32
    .cfi_offset d13, -24
    .cfi_offset d14, -16
    .cfi_offset d15, -8
    mov x9, sp
    str x9, [x0]
    mov sp, x1
grappa_switch_resume:
    ldp x29, x30, [sp, #80]
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    .cfi_restore x19
    .cfi_restore x20
    .cfi_restore x21
    .cfi_restore x22
    .cfi_restore x23
    .cfi_restore x24
    .cfi_restore x25
    .cfi_restore x26
    .cfi_restore x27
    .cfi_restore x28
    .cfi_restore x29
    .cfi_restore x30
    .cfi_restore d8
    .cfi_restore d9
    .cfi_restore d10
    .cfi_restore d11
    .cfi_restore d12
    .cfi_restore d13
    .cfi_restore d14
    .cfi_restore d15
    add sp, sp, #160
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
    .size grappa_switch, .-grappa_switch

// Where a new context begins. The stack pointer is at the top of its stack, a multiple of 64. The
// undefined return address tells unwinders that this is the outermost frame: backtraces end here,
// and an exception that nobody catches ends in std::terminate.
    .globl grappa_context_start
    .type grappa_context_start, %function
    .p2align 4
grappa_context_start:
    .cfi_startproc
    .cfi_undefined x30
    hint #34                            // bti c
    mov x0, x20
    blr x19
    bl grappa_context_returned
    brk #1
    .cfi_endproc
    .size grappa_context_start, .-grappa_context_start

// This file is fit for branch target identification (GNU_PROPERTY_AARCH64_FEATURE_1_BTI).
    .section .note.gnu.property, "a"
    .p2align 3
    .word 4, 16, 5                      // sizes of name and description, NT_GNU_PROPERTY_TYPE_0
    .asciz "GNU"
    .word 0xc0000000, 4, 1, 0

#endif

    .section .note.GNU-stack, "", %progbits
