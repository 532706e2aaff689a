/*
 * clock - clocks and time spans in nanoseconds.
 *
 * Context: any thread. Locking: none. Failure: a clock that cannot be read
 * gives 0.
 */
#ifndef CP_CLOCK_H
#define CP_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CP_NS_PER_S 1000000000

static inline int64_t cp_clock_ns(clockid_t clock)
{
    struct timespec t = { 0 };

    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * CP_NS_PER_S + t.tv_nsec;
}

static inline struct timespec cp_clock_span(int64_t ns)
{
    return (struct timespec){ ns / CP_NS_PER_S, ns % CP_NS_PER_S };
}

#endif
