/*
 * plt - names for PLT stubs, through which a file calls other files.
 *
 * A stub jumps to the address in a GOT slot; the relocation of the slot names
 * the symbol.
 */
#ifndef CP_PLT_H
#define CP_PLT_H

#include "base/error.h"

struct cp_elf;
struct cp_routines;

/* Adds the stubs of x86-64 and aarch64 files as name@plt. */
enum cp_status cp_plt_read(struct cp_routines *r, const struct cp_elf *e,
                           struct cp_error *err);

#endif
