/*
 * memory_stats - writes memory figures of the program: the lines below a heap
 * profile in text form, and a short JSON object for the live page.
 *
 * The names are those of Go's runtime.MemStats where a figure has the same
 * meaning. Allocated bytes are estimated from the samples; the other figures
 * come from the kernel and from libc's mallinfo2.
 *
 * Context: the endpoint thread. Locking: mallinfo2 takes libc's malloc locks.
 * Failure: a figure that cannot be read is 0.
 */
#ifndef CP_MEMORY_STATS_H
#define CP_MEMORY_STATS_H

struct cp_out;

/* Appends the text lines. */
void cp_memory_stats_write(struct cp_out *out);

/*
 * Appends {"time_ns":…,"rss":…,"heap":…,"threads":…,"cpu_ns":…}. Reads two
 * files of /proc.
 */
void cp_memory_stats_json(struct cp_out *out);

#endif
