/*
 * jit_map - finds function names of generated code in the perf map.
 *
 * Node, Java, Python and other runtimes write /tmp/perf-PID.map for perf: one
 * line per function, "START SIZE NAME", with hexadecimal numbers.
 *
 * Context: any thread outside signal handlers. Locking: none.
 * Failure: an unknown name is NULL; without memory the sink is not called.
 */
#ifndef CP_JIT_MAP_H
#define CP_JIT_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Receives the name of addresses[index], or NULL; valid during the call. */
typedef void cp_jit_sink(void *context, size_t index, const char *name);

/*
 * Looks up n addresses in the map of this process and calls sink for each. If
 * lines overlap, the last one counts, because it is the newest.
 */
void cp_jit_map_resolve(const uint64_t *addresses, size_t n, cp_jit_sink *sink,
                        void *context);

/* Like cp_jit_map_resolve, with the contents of a map, which it modifies. */
void cp_jit_map_resolve_text(char *text, const uint64_t *addresses, size_t n,
                             cp_jit_sink *sink, void *context);

#endif
