/*
 * leak_registers - reads the registers of all threads, as roots of the leak
 * scan.
 *
 * A running thread gets a request to report its registers (thread_request.h).
 * For a sleeping thread the kernel gives the stack pointer and the arguments of
 * the system call. Callee-saved registers of a sleeping thread are in memory
 * already: hooks save them before a call that sleeps (saved_registers.h), and
 * libc's functions push those that they use.
 *
 * Context: the thread that scans for leaks.
 * Locking: the caller holds cp_refresh_lock.
 * Ordering: a thread's increment of registers_replies publishes `registers`.
 * Failure: threads that do not reply in time are counted in n_no_reply.
 */
#ifndef CP_LEAK_REGISTERS_H
#define CP_LEAK_REGISTERS_H

#include <stdbool.h>

struct cp_leak;
struct cp_signal_thread;

/*
 * Fills `registers` of all thread records and waits at most 200 ms for replies.
 * Sets n_asleep, n_requested, n_no_reply and reply_ns of *leak. The sampler
 * must be open.
 */
void cp_leak_read_registers(struct cp_leak *leak);

/* Whether cp_leak_read_registers got the thread's registers. */
bool cp_leak_has_registers(const struct cp_signal_thread *t);

#endif
