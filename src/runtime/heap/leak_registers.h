/*
 * leak_registers - the registers of all threads, where pointers may be.
 *
 * A running thread is requested to report them (thread_request.h). Of a
 * sleeping thread the kernel gives the stack pointer and the arguments of its
 * system call. The registers that a call preserves are in memory already: hooks
 * save them before calls that sleep (saved_registers.h), and libc's functions
 * push the ones that they use.
 */
#ifndef CP_LEAK_REGISTERS_H
#define CP_LEAK_REGISTERS_H

#include <stdbool.h>

struct cp_leak;
struct cp_signal_thread;

/*
 * Fills the `registers` of all threads and waits for replies, for a bounded
 * time. Counts in *leak the threads that were requested, that sleep, and that
 * did not reply, and the time. The sampler is open and its lock held.
 */
void cp_leak_read_registers(struct cp_leak *leak);

/* Are the thread's registers known, by a reply or from outside? */
bool cp_leak_has_registers(const struct cp_signal_thread *t);

#endif
