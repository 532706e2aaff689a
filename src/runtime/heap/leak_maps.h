/*
 * leak_maps - selects the mappings that the leak scan reads.
 *
 * These are the private mappings that the program can read: all pages of the
 * writable ones, and of the read-only ones the pages that the program has
 * written before it made them read-only (mprotect, RELRO).
 */
#ifndef CP_LEAK_MAPS_H
#define CP_LEAK_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct cp_leak_mapping {
    uintptr_t start, end; /* addresses; end is exclusive */
    bool is_libc;         /* mapped from libc.so.6 */
    bool is_read_only;
};

/*
 * Parses the next such mapping of a string in the format of /proc/self/maps.
 * Replaces the newlines that it passes by NUL and advances *text. Returns false
 * at the end.
 */
bool cp_leak_maps_next(char **text, struct cp_leak_mapping *out);

#endif
