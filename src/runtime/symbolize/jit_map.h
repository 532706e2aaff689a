/*
 * jit_map - names of code that was made at run time.
 *
 * Node, Java, Python and others write /tmp/perf-PID.map, by which perf knows
 * their code: one line a piece of code, "start size name", both in hex.
 */
#ifndef CP_JIT_MAP_H
#define CP_JIT_MAP_H

#include <stddef.h>
#include <stdint.h>

/* The name of an address; NULL when it is not known. Borrowed for the call. */
typedef void cp_jit_sink(void *context, size_t index, const char *name);

/*
 * Looks n addresses up in the map of this process and calls sink for each.
 * Where lines overlap, the last one counts: it was written last.
 */
void cp_jit_map_resolve(const uint64_t *addresses, size_t n, cp_jit_sink *sink,
                        void *context);

/* The same with a text; it is written to. */
void cp_jit_map_resolve_text(char *text, const uint64_t *addresses, size_t n,
                             cp_jit_sink *sink, void *context);

#endif
