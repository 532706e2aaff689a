/*
 * drain - a thread that empties something again and again, until it is told
 * to end.
 *
 * For a stream that nobody reads while it is recorded (a trace in two steps,
 * see api.c). The thread is there only as long. One thread at a time may start
 * and end a drain.
 */
#ifndef CP_DRAIN_H
#define CP_DRAIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define CP_DRAIN_NS 40000000 /* between two turns */

struct cp_drain {
    bool (*turn)(void *context); /* false: it is to be the last */
    void *context;
    pid_t pid;             /* of the process that it was started in */
    _Atomic uint32_t word; /* the inside's */
};

/* Begins; *d stays where it is until cp_drain_end has returned. */
enum cp_status cp_drain_start(struct cp_drain *d, const char *name,
                              struct cp_error *err);

/*
 * After this there are no more turns: waits for one that is under way. Does
 * nothing if it was never started. False: it was started in another process,
 * of which this one is a copy, and may have been copied amid a turn.
 */
bool cp_drain_end(struct cp_drain *d);

#endif
