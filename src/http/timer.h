/*
 * timer - what is to happen when, in a heap.
 *
 * Timers are the caller's and stay where they are while they are set; the
 * heap holds pointers. Used by the server's one thread only. Times are in
 * nanoseconds of the monotonic clock.
 */
#ifndef CP_HTTP_TIMER_H
#define CP_HTTP_TIMER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Starts as { 0 } with `fire` and `context` set. */
struct cp_http_timer {
    int64_t due_ns;
    size_t slot; /* in the heap, + 1; 0: not set */
    void (*fire)(void *context);
    void *context;
};

/* Starts as { 0 }. */
struct cp_http_timers {
    struct cp_http_timer **heap;
    size_t n, cap;
};

/* The monotonic clock. */
int64_t cp_http_now(void);

/* Room for n timers, so that setting one cannot fail. */
enum cp_status cp_http_timers_reserve(struct cp_http_timers *h, size_t n,
                                      struct cp_error *err);
void cp_http_timers_release(struct cp_http_timers *h);

/* Sets or moves a timer; there must be room. */
void cp_http_timer_set(struct cp_http_timers *h, struct cp_http_timer *t,
                       int64_t due_ns);

/* Takes a timer out, if it is set. */
void cp_http_timer_clear(struct cp_http_timers *h, struct cp_http_timer *t);

/* Fires all that are due, each once; they are no longer set then. */
void cp_http_timers_fire(struct cp_http_timers *h, int64_t now_ns);

/* Milliseconds to the next, rounded up; -1 when none is set. */
int cp_http_timers_wait_ms(const struct cp_http_timers *h, int64_t now_ns);

#endif
