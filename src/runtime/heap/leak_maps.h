/*
 * leak_maps - the mappings in which pointers are looked for.
 *
 * That is what the program can write and nobody else can; and what it can only
 * read, as far as it has written there before (mprotect, RELRO).
 */
#ifndef CP_LEAK_MAPS_H
#define CP_LEAK_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct cp_leak_mapping {
    uintptr_t start, end;
    bool is_libc;
    bool is_read_only;
};

/*
 * The next one of a text like /proc/self/maps, which is cut into lines; *text
 * moves on. False: there is none.
 */
bool cp_leak_maps_next(char **text, struct cp_leak_mapping *out);

#endif
