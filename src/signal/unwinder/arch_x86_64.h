/* arch_x86_64.h - the x86-64 part of arch.h. */
#ifndef CP_SIGNAL_ARCH_X86_64_H
#define CP_SIGNAL_ARCH_X86_64_H

#if defined(__x86_64__)

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "signal/unwinder/cfi_row.h"
#include "signal/unwinder/regs.h"

/* Bytes from sp to the ucontext in a signal frame. */
#define CP_ARCH_SIGNAL_CONTEXT 0

/* At the entry of a function the return address is on the stack. */
#define CP_ARCH_RA_ON_STACK 1

static inline uintptr_t cp_arch_strip(uintptr_t pc)
{
    return pc;
}

static inline void cp_arch_regs(struct cp_signal_regs *out,
                                const ucontext_t *context)
{
    const greg_t *r = context->uc_mcontext.gregs;

    out->pc = (uintptr_t)r[REG_RIP];
    out->sp = (uintptr_t)r[REG_RSP];
    out->fp = (uintptr_t)r[REG_RBP];
    out->aux = (uintptr_t)r[REG_RBX];
    out->scratch = (uintptr_t)r[REG_R10];
    out->arg = (uintptr_t)r[REG_RDI];
}

/*
 * Whether the signal arrived at the end of a system call. The syscall
 * instruction puts the address after it into rcx. If the kernel will restart
 * the call, it has moved pc back by the two bytes of the instruction.
 */
static inline bool cp_arch_is_at_syscall_exit(const ucontext_t *context,
                                              bool (*is_readable)(uintptr_t))
{
    const greg_t *r = context->uc_mcontext.gregs;
    greg_t past = r[REG_RCX] - r[REG_RIP];

    (void)is_readable;
    return past == 0 || past == 2;
}

/*
 * Subtracts n from *left. Returns true if *left was at most n. One instruction:
 * the flags of the subtraction give the result.
 */
static inline bool cp_arch_count_down(uint64_t *left, uint64_t n)
{
    bool is_reached;

    __asm__("subq %2, %1" : "=@ccbe"(is_reached), "+m"(*left) : "r"(n));
    return is_reached;
}

/* The current registers of the function that this is inlined into. */
static inline __attribute__((always_inline)) void
cp_arch_current_regs(struct cp_signal_regs *out)
{
    __asm__ volatile("lea 0(%%rip), %0\n\t"
                     "mov %%rsp, %1\n\t"
                     "mov %%rbp, %2\n\t"
                     "mov %%rbx, %3\n\t"
                     : "=r"(out->pc), "=m"(out->sp), "=m"(out->fp),
                       "=m"(out->aux));
    out->scratch = out->arg = 0;
}

/* Number of callee-saved registers. */
#define CP_ARCH_CALLEE_SAVED 6

/* Stores the callee-saved registers; call it at the start of a function,
 * before the compiler uses them. */
static inline __attribute__((always_inline)) void
cp_arch_save_registers(uintptr_t out[CP_ARCH_CALLEE_SAVED])
{
    __asm__ volatile("mov %%rbx, %0\n\t"
                     "mov %%rbp, %1\n\t"
                     "mov %%r12, %2\n\t"
                     "mov %%r13, %3\n\t"
                     "mov %%r14, %4\n\t"
                     "mov %%r15, %5\n\t"
                     : "=m"(out[0]), "=m"(out[1]), "=m"(out[2]), "=m"(out[3]),
                       "=m"(out[4]), "=m"(out[5]));
}

static inline long cp_arch_syscall(long number, const long a[6])
{
    register long r10 __asm__("r10") = a[3];
    register long r8 __asm__("r8") = a[4];
    register long r9 __asm__("r9") = a[5];
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10),
                       "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/*
 * Whether a call instruction can be where this row is valid. The ABI aligns the
 * stack to 16 bytes at each call, which excludes the entry and the return of a
 * function.
 */
static inline bool cp_arch_may_call(const struct cp_cfi_row *row)
{
    if (row->cfa == CP_CFA_SP)
        return row->cfa_offset % 16 == 0;
    return row->cfa != CP_CFA_NONE && row->cfa != CP_CFA_PLT;
}

#endif /* __x86_64__ */

#endif
