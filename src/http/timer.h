/*
 * timer - one-shot timers in a binary heap, for the loop of the server.
 *
 * The caller owns the timers, and must not move one that is set: the heap holds
 * pointers. Times are nanoseconds of CLOCK_MONOTONIC.
 *
 * Context: the thread of the server. Locking: none.
 * Failure: only cp_http_timers_reserve can fail.
 */
#ifndef CP_HTTP_TIMER_H
#define CP_HTTP_TIMER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Zero-initialize, then set `fire` and `context`. */
struct cp_http_timer {
    int64_t due_ns;
    size_t slot; /* index in the heap + 1; 0 if not set */
    void (*fire)(void *context);
    void *context;
};

/* Zero-initialize before use. */
struct cp_http_timers {
    struct cp_http_timer **heap;
    size_t n, cap;
};

/* Returns the time of CLOCK_MONOTONIC, nanoseconds. */
int64_t cp_http_now(void);

/* Reserves room for n timers, so that setting one cannot fail. */
enum cp_status cp_http_timers_reserve(struct cp_http_timers *h, size_t n,
                                      struct cp_error *err);
void cp_http_timers_release(struct cp_http_timers *h);

/* Sets or moves a timer; its room must be reserved. */
void cp_http_timer_set(struct cp_http_timers *h, struct cp_http_timer *t,
                       int64_t due_ns);

/* Clears a timer. Does nothing if it is not set. */
void cp_http_timer_clear(struct cp_http_timers *h, struct cp_http_timer *t);

/* Clears each due timer and calls its `fire`. */
void cp_http_timers_fire(struct cp_http_timers *h, int64_t now_ns);

/* Returns the milliseconds to the next timer, rounded up; -1 if none is set. */
int cp_http_timers_wait_ms(const struct cp_http_timers *h, int64_t now_ns);

#endif
