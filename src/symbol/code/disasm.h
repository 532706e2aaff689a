/*
 * disasm - machine code as text.
 *
 * capstone decodes; it is loaded when it is first needed, because it would
 * double the time that the tool takes to start. Targets of jumps and calls
 * are given their names.
 */
#ifndef CP_DISASM_H
#define CP_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_elf;
struct cp_routines;

struct cp_disasm;

/* One instruction; text is borrowed for the call. */
typedef void cp_disasm_sink(void *context, uint64_t address, size_t size,
                            const char *text);

/*
 * For the code of a file, which must outlive it, as must the routines. NULL
 * with *err set if capstone is not installed or does not know the machine.
 */
struct cp_disasm *cp_disasm_new(const struct cp_elf *e,
                                const struct cp_routines *routines,
                                bool is_intel, struct cp_error *err);
void cp_disasm_free(struct cp_disasm *d);

/* Gives out the instructions from start to end, addresses of the file. */
enum cp_status cp_disasm_run(struct cp_disasm *d, uint64_t start, uint64_t end,
                             cp_disasm_sink *sink, void *context,
                             struct cp_error *err);

#endif
