// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
/*
 * Entries in assembly: vfork() returns twice on the caller's stack, and so does syscall() when it
 * makes a vfork or a clone without a stack, so no frame of ours may be below them. Each calls a
 * hook, restores the registers and the stack, and jumps on to the next definition.
 */
#include "intercept/entry.h"

#include "intercept/around.h"

_Static_assert(PL_NEXT_syscall == 2, "entry.c has this offset in its assembly");

/* What the entries call. The pointer is what they jump to. */
PL_HIDDEN pl_next_fn pl_vfork_begin(void);
PL_HIDDEN pl_next_fn pl_vfork_alias_begin(void);
PL_HIDDEN pl_next_fn pl_syscall_begin(long nr);

__attribute__((used)) pl_next_fn pl_vfork_begin(void)
{
	pl_hook_before_child();
	return (pl_next_fn)NEXT(vfork);
}

__attribute__((used)) pl_next_fn pl_vfork_alias_begin(void)
{
	pl_hook_before_child();
	return (pl_next_fn)NEXT(__vfork);
}

__attribute__((used)) pl_next_fn pl_syscall_begin(long nr)
{
	switch (nr) {
	case SYS_clone:
	case SYS_clone3:
#ifdef SYS_fork
	case SYS_fork:
	case SYS_vfork:
#endif
		pl_hook_before_child();
		break;
	case SYS_execve:
	case SYS_execveat:
		pl_hook_before_exec();
		break;
	default:
		break;
	}
	return (pl_next_fn)NEXT(syscall);
}

#define AROUND(nr) [nr] = PL_SYSCALL_AROUND
#define BEFORE(nr) [nr] = PL_SYSCALL_BEFORE

__attribute__((used)) const uint8_t pl_syscall_shape[PL_NR_SYSCALLS] = {
	BEFORE(SYS_clone),
	BEFORE(SYS_clone3),
#ifdef SYS_fork
	BEFORE(SYS_fork),
	BEFORE(SYS_vfork),
#endif
	BEFORE(SYS_execve),
	BEFORE(SYS_execveat),
	AROUND(SYS_futex),
	AROUND(PL_SYS_futex_waitv),
	AROUND(SYS_sched_setaffinity),
	AROUND(SYS_sched_getaffinity),
	AROUND(SYS_sched_setscheduler),
	AROUND(SYS_sched_setparam),
	AROUND(SYS_sched_setattr),
	AROUND(SYS_close),
	AROUND(PL_SYS_close_range),
	AROUND(SYS_dup),
#ifdef SYS_dup2
	AROUND(SYS_dup2),
#endif
	AROUND(SYS_dup3),
	AROUND(SYS_unshare),
	AROUND(SYS_setns),
	AROUND(SYS_seccomp),
	AROUND(SYS_prctl),
};

/*
 * syscall(): a number with shape 0 costs a table lookup and a jump. The stack is as the caller left
 * it at each jump, so a sixth argument that lies there is found by whoever is jumped to.
 */
#if defined(__x86_64__)
#define VFORK_ENTRY(name, begin)                                                                   \
	__asm__(".pushsection .text\n"                                                             \
		".globl " name "\n"                                                                \
		".type " name ", @function\n"                                                      \
		".balign 16\n" name ":\n"                                                          \
		"    .cfi_startproc\n"                                                             \
		"    endbr64\n"                                                                    \
		"    subq $8, %rsp\n"                                                              \
		"    .cfi_adjust_cfa_offset 8\n"                                                   \
		"    call " begin "\n"                                                             \
		"    addq $8, %rsp\n"                                                              \
		"    .cfi_adjust_cfa_offset -8\n"                                                  \
		"    jmp *%rax\n"                                                                  \
		"    .cfi_endproc\n"                                                               \
		".size " name ", . - " name "\n"                                                   \
		".popsection\n")

__asm__(".pushsection .text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	".balign 16\n"
	"syscall:\n"
	"    .cfi_startproc\n"
	"    endbr64\n"
	"    cmpq $511, %rdi\n"
	"    ja 1f\n"
	"    leaq pl_syscall_shape(%rip), %rax\n"
	"    movzbl (%rax,%rdi), %eax\n"
	"    testl %eax, %eax\n"
	"    jnz 2f\n"
	"1:	movq pl_next+16(%rip), %rax\n"
	"    testq %rax, %rax\n"
	"    jz 3f\n"
	"    jmp *%rax\n"
	"2:	cmpl $1, %eax\n"
	"    je pl_syscall_around\n"
	"3:	subq $56, %rsp\n"
	"    .cfi_adjust_cfa_offset 56\n"
	"    movq %rdi, (%rsp)\n"
	"    movq %rsi, 8(%rsp)\n"
	"    movq %rdx, 16(%rsp)\n"
	"    movq %rcx, 24(%rsp)\n"
	"    movq %r8, 32(%rsp)\n"
	"    movq %r9, 40(%rsp)\n"
	"    call pl_syscall_begin\n"
	"    movq (%rsp), %rdi\n"
	"    movq 8(%rsp), %rsi\n"
	"    movq 16(%rsp), %rdx\n"
	"    movq 24(%rsp), %rcx\n"
	"    movq 32(%rsp), %r8\n"
	"    movq 40(%rsp), %r9\n"
	"    addq $56, %rsp\n"
	"    .cfi_adjust_cfa_offset -56\n"
	"    jmp *%rax\n"
	"    .cfi_endproc\n"
	".size syscall, . - syscall\n"
	".popsection\n");
#else
/* hint #34 is bti c; x16 is the register from which such a landing pad may be jumped to. */
#define VFORK_ENTRY(name, begin)                                                                   \
	__asm__(".pushsection .text\n"                                                             \
		".globl " name "\n"                                                                \
		".type " name ", %function\n"                                                      \
		".balign 16\n" name ":\n"                                                          \
		"    .cfi_startproc\n"                                                             \
		"    hint #34\n"                                                                   \
		"    stp x29, x30, [sp, #-16]!\n"                                                  \
		"    .cfi_def_cfa_offset 16\n"                                                     \
		"    .cfi_offset x29, -16\n"                                                       \
		"    .cfi_offset x30, -8\n"                                                        \
		"    mov x29, sp\n"                                                                \
		"    bl " begin "\n"                                                               \
		"    mov x16, x0\n"                                                                \
		"    ldp x29, x30, [sp], #16\n"                                                    \
		"    .cfi_def_cfa_offset 0\n"                                                      \
		"    .cfi_restore x29\n"                                                           \
		"    .cfi_restore x30\n"                                                           \
		"    br x16\n"                                                                     \
		"    .cfi_endproc\n"                                                               \
		".size " name ", . - " name "\n"                                                   \
		".popsection\n")

__asm__(".pushsection .text\n"
	".globl syscall\n"
	".type syscall, %function\n"
	".balign 16\n"
	"syscall:\n"
	"    .cfi_startproc\n"
	"    hint #34\n"
	"    cmp x0, #511\n"
	"    b.hi 1f\n"
	"    adrp x16, pl_syscall_shape\n"
	"    add x16, x16, :lo12:pl_syscall_shape\n"
	"    ldrb w17, [x16, x0]\n"
	"    cbnz w17, 2f\n"
	"1:	adrp x16, pl_next+16\n"
	"    add x16, x16, :lo12:pl_next+16\n"
	"    ldr x16, [x16]\n"
	"    cbz x16, 3f\n"
	"    br x16\n"
	"2:	cmp w17, #1\n"
	"    b.eq 4f\n"
	"3:	stp x29, x30, [sp, #-80]!\n"
	"    .cfi_def_cfa_offset 80\n"
	"    .cfi_offset x29, -80\n"
	"    .cfi_offset x30, -72\n"
	"    mov x29, sp\n"
	"    stp x0, x1, [sp, #16]\n"
	"    stp x2, x3, [sp, #32]\n"
	"    stp x4, x5, [sp, #48]\n"
	"    str x6, [sp, #64]\n"
	"    bl pl_syscall_begin\n"
	"    mov x16, x0\n"
	"    ldp x0, x1, [sp, #16]\n"
	"    ldp x2, x3, [sp, #32]\n"
	"    ldp x4, x5, [sp, #48]\n"
	"    ldr x6, [sp, #64]\n"
	"    ldp x29, x30, [sp], #80\n"
	"    .cfi_def_cfa_offset 0\n"
	"    .cfi_restore x29\n"
	"    .cfi_restore x30\n"
	"    br x16\n"
	"4:	b pl_syscall_around\n"
	"    .cfi_endproc\n"
	".size syscall, . - syscall\n"
	".popsection\n");
#endif

VFORK_ENTRY("vfork", "pl_vfork_begin");
VFORK_ENTRY("__vfork", "pl_vfork_alias_begin");
