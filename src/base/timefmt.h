/* timefmt - times and durations in Go's format, which reports use. */
#ifndef CP_TIMEFMT_H
#define CP_TIMEFMT_H

#include <stdint.h>

#define CP_TIME_BYTES 64

/* Writes "2023-11-14 22:13:20 UTC" in the local time zone. */
void cp_time_text(int64_t unix_ns, char out[CP_TIME_BYTES]);

/*
 * Writes "2023-11-14 22:13:20.5 +0000 UTC" without trailing zeros in the
 * fraction.
 */
void cp_time_precise(int64_t unix_ns, char out[CP_TIME_BYTES]);

/* Writes "1h0m0.5s", "1.5ms", "2\u00b5s" or "0s". */
void cp_duration_text(int64_t ns, char out[CP_TIME_BYTES]);

#endif
