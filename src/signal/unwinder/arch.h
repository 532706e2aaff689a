/*
 * arch - what differs between processors: registers in a signal's context and
 * how to enter the kernel. Of the two files below one is empty.
 */
#ifndef CP_SIGNAL_ARCH_H
#define CP_SIGNAL_ARCH_H

#include "signal/unwinder/arch_aarch64.h"
#include "signal/unwinder/arch_x86_64.h"
#include "signal/unwinder/no_sanitize.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "the runtime knows x86-64 and aarch64"
#endif

#endif
