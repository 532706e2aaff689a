/*
 * timefmt - times and durations in Go's spelling, which the reports have.
 */
#ifndef CP_TIMEFMT_H
#define CP_TIMEFMT_H

#include <stdint.h>

#define CP_TIME_BYTES 64

/* "2023-11-14 22:13:20 UTC", local time zone. */
void cp_time_text(int64_t unix_ns, char out[CP_TIME_BYTES]);

/* "2023-11-14 22:13:20.5 +0000 UTC": as many decimals as there are. */
void cp_time_precise(int64_t unix_ns, char out[CP_TIME_BYTES]);

/* "1h0m0.5s", "1.5ms", "2\u00b5s", "0s". */
void cp_duration_text(int64_t ns, char out[CP_TIME_BYTES]);

#endif
