/*
 * seccomp_filter - interprets a seccomp filter for one system call.
 *
 * Runs the classic BPF program as the kernel does. Pure functions: no system
 * call, no allocation.
 *
 * Context: any thread. Locking: none. Failure: for a program that the
 * kernel would reject the result is SECCOMP_RET_KILL_PROCESS.
 */
#ifndef CP_SECCOMP_FILTER_H
#define CP_SECCOMP_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sock_filter;

/* A system call with the arguments that a filter may read. */
struct cp_seccomp_call {
    long number;
    uint64_t args[6];
};

/* The 32-bit value that the filter returns: SECCOMP_RET_ALLOW and the like. */
uint32_t cp_seccomp_run(const struct sock_filter *filter, size_t n,
                        const struct cp_seccomp_call *call);

/* Whether that value lets the call run, or lets it fail with an errno. */
bool cp_seccomp_is_allowed(uint32_t result);
bool cp_seccomp_is_harmless(uint32_t result);

#endif
