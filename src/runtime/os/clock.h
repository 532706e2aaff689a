/* clock - the times that the probes go by, in nanoseconds. */
#ifndef CP_CLOCK_H
#define CP_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t cp_clock_ns(clockid_t clock)
{
    struct timespec t = { 0 };

    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
