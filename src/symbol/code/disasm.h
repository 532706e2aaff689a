/*
 * disasm - disassembles machine code.
 *
 * It loads capstone on first use, because linking it would double the start
 * time of the tool. Targets of jumps and calls are shown by name.
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

/* Receives one instruction; the text is valid during the call. */
typedef void cp_disasm_sink(void *context, uint64_t address, size_t size,
                            const char *text);

/*
 * Creates a disassembler for a file; the file and the routines must outlive it.
 * NULL with *err set if capstone is not installed or does not support the
 * machine.
 */
struct cp_disasm *cp_disasm_new(const struct cp_elf *e,
                                const struct cp_routines *routines,
                                bool is_intel, struct cp_error *err);
void cp_disasm_free(struct cp_disasm *d);

/* Disassembles the virtual addresses [start, end). */
enum cp_status cp_disasm_run(struct cp_disasm *d, uint64_t start, uint64_t end,
                             cp_disasm_sink *sink, void *context,
                             struct cp_error *err);

#endif
