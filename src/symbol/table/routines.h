/*
 * routines - the functions of a file, by address.
 *
 * For views of machine code: which function an address lies in, where it
 * begins and ends, and under which names it is known. Stubs that call into
 * other files are there as name@plt.
 */
#ifndef CP_ROUTINES_H
#define CP_ROUTINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct cp_elf;

struct cp_routine {
    uint64_t start, end;
    const char *name; /* as in the file: mangled */
};

/* Starts as { 0 }. */
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

/* The first routine, of those with one start, that has the address in it. */
const struct cp_routine *cp_routines_find(const struct cp_routines *r,
                                          uint64_t address);

/* Its next name, or NULL. */
const struct cp_routine *cp_routines_alias(const struct cp_routines *r,
                                           const struct cp_routine *routine);

#endif
