/*
 * syscall - system calls without libc: no change of errno, no cancellation
 * point, no hook.
 *
 * Context: any, signal handlers included.
 * Failure: returns -errno, as the kernel does.
 */
#ifndef CP_SIGNAL_SYSCALL_H
#define CP_SIGNAL_SYSCALL_H

#include "signal/unwinder/arch.h"

#define CP_SYSCALL(number, ...)                                                \
    cp_arch_syscall((number), (const long[6]){ __VA_ARGS__ })

#endif
