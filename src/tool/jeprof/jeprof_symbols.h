/* jeprof_symbols - jeprof's --symbols: names addresses from standard input. */
#ifndef CP_JEPROF_SYMBOLS_H
#define CP_JEPROF_SYMBOLS_H

#include "base/error.h"

struct cp_command;

/*
 * Reads lines of a memory map and addresses from standard input. Prints the
 * name of each address, or the address itself, one on each line.
 */
enum cp_status cp_jeprof_symbols(const struct cp_command *c,
                                 struct cp_error *err);

#endif
