/*
 * tracee_place - where a thread of another process is, without touching it.
 *
 * /proc says whether a thread sleeps, in which system call, with which
 * arguments. From that follows whether a stop by ptrace would
 * change how the call ends. Internal to the tracee files; x86-64 only.
 */
#ifndef CP_TRACEE_PLACE_H
#define CP_TRACEE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CP_PLACE_RUNNING (-2L) /* on a processor, or ready to run */
#define CP_PLACE_FAULT (-1L)   /* asleep outside a system call */

struct cp_tracee_place {
    long call; /* the system call it sleeps in, or one of the above */
    uint64_t args[6];
    long n_sleeps; /* how often the thread has gone to sleep; 0: it runs */
};

void cp_tracee_place_read(pid_t tid, struct cp_tracee_place *out);

/*
 * May the thread be stopped there? True if it runs, or if it sleeps in a call
 * that a stop does not end: the kernel restarts it, or tracee_repair can.
 */
bool cp_tracee_place_may_stop(pid_t tid, const struct cp_tracee_place *p);

#endif
