/*
 * symbolizer - resolves addresses of one file to functions, files and lines.
 *
 * Finds the debug information of an ELF file and resolves batches of addresses.
 * It sorts a batch and reads every table of the file once for the whole batch,
 * and only the parts that the addresses need.
 *
 * Context: one thread at a time. With is_parallel it starts threads of its own.
 */
#ifndef CP_SYMBOLIZER_H
#define CP_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "symbol/table/frame.h"

struct cp_elf;

struct cp_symbolizer;

struct cp_symbolizer_options {
    bool is_parallel;  /* may start threads; false in the library */
    bool symbols_only; /* use only symbol tables, no DWARF ("fastlocal") */
    const char *const *debug_dirs; /* NULL-terminated; NULL: /usr/lib/debug */
    const uint8_t *build_id;       /* expected build id */
    size_t build_id_len;           /* bytes; 0 accepts any build id */
};

/*
 * Opens a file; options may be NULL. Fails if the file cannot be opened, is not
 * an ELF file, or has a different build id. Missing debug information is not an
 * error; see cp_symbolizer_reason.
 */
enum cp_status cp_symbolizer_open(struct cp_symbolizer **out, const char *path,
                                  const struct cp_symbolizer_options *options,
                                  struct cp_error *err);

/*
 * Like cp_symbolizer_open, for an ELF file in memory, such as the vDSO, which
 * must outlive the symbolizer. Opens no debug files and no .dwo files.
 */
enum cp_status cp_symbolizer_view(struct cp_symbolizer **out, const void *bytes,
                                  size_t len,
                                  const struct cp_symbolizer_options *options,
                                  struct cp_error *err);

/*
 * Addresses are virtual addresses of the file, in any order. The caller
 * subtracts 1 from return addresses.
 */
enum cp_status cp_symbolizer_resolve(struct cp_symbolizer *s,
                                     const uint64_t *addresses, size_t n,
                                     cp_symbol_sink *sink, void *context,
                                     struct cp_error *err);

/*
 * Frees all frames returned so far, to bound the memory of a long-lived
 * symbolizer.
 */
void cp_symbolizer_drop_frames(struct cp_symbolizer *s);

/*
 * Returns why lines or names are missing ("no debug info; install libc6-dbg or
 * set DEBUGINFOD_URLS"), or NULL.
 */
const char *cp_symbolizer_reason(const struct cp_symbolizer *s);

/* Returns the ELF file, valid until close. */
struct cp_elf *cp_symbolizer_elf(struct cp_symbolizer *s);

/*
 * Returns the debug file that has the symbol table; NULL if the file itself has
 * it.
 */
struct cp_elf *cp_symbolizer_debug_elf(struct cp_symbolizer *s);

/* Frees s, which may be NULL. */
void cp_symbolizer_close(struct cp_symbolizer *s);

#endif
