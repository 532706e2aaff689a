/*
 * arch - everything that differs between processors: the registers in a signal
 * context, callee-saved registers, system calls, where a call can be. Each of
 * the two included headers is empty on the other processor.
 */
#ifndef CP_SIGNAL_ARCH_H
#define CP_SIGNAL_ARCH_H

#include "signal/unwinder/arch_aarch64.h"
#include "signal/unwinder/arch_x86_64.h"
#include "signal/unwinder/no_sanitize.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "libcpprof supports x86-64 and aarch64"
#endif

#endif
