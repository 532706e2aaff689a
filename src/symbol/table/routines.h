/*
 * routines - the functions of a file, by address.
 *
 * For views of machine code: the function of an address, its start, its end and
 * its names. PLT stubs are included as name@plt.
 */
#ifndef CP_ROUTINES_H
#define CP_ROUTINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct cp_elf;

struct cp_routine {
    uint64_t start, end;
    const char *name; /* mangled, as in the file */
};

/* Initialize with { 0 }. */
struct cp_routines {
    struct cp_routine *items; /* by start; one start may have several names */
    size_t n, cap;
    struct cp_arena arena;
};

/*
 * Reads the symbol tables of e and, if not NULL, of its debug file. Both must
 * outlive the table.
 */
enum cp_status cp_routines_init(struct cp_routines *r, const struct cp_elf *e,
                                const struct cp_elf *debug,
                                struct cp_error *err);
void cp_routines_release(struct cp_routines *r);

/* Returns the first routine that contains the address; aliases follow it. */
const struct cp_routine *cp_routines_find(const struct cp_routines *r,
                                          uint64_t address);

/* Returns the next name of the routine, or NULL. */
const struct cp_routine *cp_routines_alias(const struct cp_routines *r,
                                           const struct cp_routine *routine);

#endif
