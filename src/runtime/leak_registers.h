/*
 * leak_registers - has every thread tell its registers, from a signal handler.
 *
 * A thread that sleeps in a call which a signal would end is left alone.
 */
#ifndef CP_LEAK_REGISTERS_H
#define CP_LEAK_REGISTERS_H

#include <stdbool.h>

#include "runtime/leak.h"
#include "signal/thread.h"

/*
 * Asks all threads and waits for the answers, but not for long; says in *leak
 * how many were asked, left alone and silent, and how long it took. The
 * sampler is open and its lock held.
 */
void cp_leak_ask_threads(struct cp_leak *leak);

/* Has the thread told its registers since it was last asked? */
bool cp_leak_has_answered(const struct cp_signal_thread *t);

#endif
