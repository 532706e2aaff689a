/*
 * syscall - enters the kernel without libc, so that errno stays what it was.
 *
 * Returns what the kernel returned: -errno on failure.
 */
#ifndef CP_SIGNAL_SYSCALL_H
#define CP_SIGNAL_SYSCALL_H

#include "signal/unwinder/arch.h"

#define CP_SYSCALL(number, ...)                                                \
    cp_arch_syscall((number), (const long[6]){ __VA_ARGS__ })

#endif
