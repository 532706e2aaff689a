/* thread.c - the table of thread records, and the current thread's record. */
#include "signal/tables/thread.h"

_Atomic(struct cp_signal_thread *) cp_signal_threads[CP_THREADS_CHUNKS];
_Thread_local struct cp_signal_thread *cp_signal_self;
_Thread_local bool cp_signal_is_internal;
