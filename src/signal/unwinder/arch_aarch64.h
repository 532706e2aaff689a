/* arch_aarch64.h - the aarch64 part of arch.h. */
#ifndef CP_SIGNAL_ARCH_AARCH64_H
#define CP_SIGNAL_ARCH_AARCH64_H

#if defined(__aarch64__)

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "signal/unwinder/cfi_row.h"
#include "signal/unwinder/regs.h"

/* Bytes from sp to the ucontext in a signal frame: a siginfo_t is between. */
#define CP_ARCH_SIGNAL_CONTEXT 128

/* At the entry of a function the return address is in the link register. */
#define CP_ARCH_RA_ON_STACK 0

/* Removes the pointer authentication code from the high bits. */
static inline uintptr_t cp_arch_strip(uintptr_t pc)
{
    return pc & 0x0000ffffffffffffu;
}

static inline void cp_arch_regs(struct cp_signal_regs *out,
                                const ucontext_t *context)
{
    const mcontext_t *m = &context->uc_mcontext;

    out->pc = m->pc;
    out->sp = m->sp;
    out->fp = m->regs[29];
    out->aux = cp_arch_strip(m->regs[30]);
    out->scratch = out->arg = 0;
}

/*
 * Whether the signal arrived at the end of a system call, or the kernel will
 * restart one.
 */
static inline bool cp_arch_is_at_syscall_exit(const ucontext_t *context,
                                              bool (*is_readable)(uintptr_t))
{
    const uint32_t call = 0xd4000001; /* svc #0 */
    uintptr_t pc = (uintptr_t)context->uc_mcontext.pc;

    if (pc & 3 || !is_readable((pc - 4) & ~(uintptr_t)7) ||
        !is_readable(pc & ~(uintptr_t)7))
        return false;
    return *(const uint32_t *)(pc - 4) == call || *(const uint32_t *)pc == call;
}

/* Subtracts n from *left. Returns true if *left was at most n. */
static inline bool cp_arch_count_down(uint64_t *left, uint64_t n)
{
    uint64_t before = *left;

    *left = before - n;
    return before <= n;
}

/* The current registers of the function that this is inlined into. */
static inline __attribute__((always_inline)) void
cp_arch_current_regs(struct cp_signal_regs *out)
{
    uintptr_t pc, sp, fp, lr;

    __asm__ volatile("adr %0, .\n\t"
                     "mov %1, sp\n\t"
                     "mov %2, x29\n\t"
                     "mov %3, x30\n\t"
                     : "=r"(pc), "=r"(sp), "=r"(fp), "=r"(lr));
    *out = (struct cp_signal_regs){ pc, sp, fp, cp_arch_strip(lr), 0, 0 };
}

/* Number of callee-saved registers. */
#define CP_ARCH_CALLEE_SAVED 10

/* Stores the callee-saved registers; call it at the start of a function,
 * before the compiler uses them. */
static inline __attribute__((always_inline)) void
cp_arch_save_registers(uintptr_t out[CP_ARCH_CALLEE_SAVED])
{
    __asm__ volatile("stp x19, x20, [%0]\n\t"
                     "stp x21, x22, [%0, #16]\n\t"
                     "stp x23, x24, [%0, #32]\n\t"
                     "stp x25, x26, [%0, #48]\n\t"
                     "stp x27, x28, [%0, #64]\n\t"
                     :
                     : "r"(out)
                     : "memory");
}

static inline long cp_arch_syscall(long number, const long a[6])
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a[0];
    register long x1 __asm__("x1") = a[1];
    register long x2 __asm__("x2") = a[2];
    register long x3 __asm__("x3") = a[3];
    register long x4 __asm__("x4") = a[4];
    register long x5 __asm__("x5") = a[5];

    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}

/*
 * Whether a call instruction can be where this row is valid. A call overwrites
 * the link register, so the function must have saved its return address before.
 */
static inline bool cp_arch_may_call(const struct cp_cfi_row *row)
{
    return row->cfa != CP_CFA_NONE && row->cfa != CP_CFA_PLT &&
           (row->ra >= CP_CFI_MIN || row->ra == CP_CFI_END ||
            row->cfa == CP_CFA_SIGNAL);
}

#endif /* __aarch64__ */

#endif
