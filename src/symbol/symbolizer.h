/*
 * symbolizer - addresses of one file to functions, files and lines.
 *
 * Finds the debug information of an ELF file wherever it is, and answers
 * batches of addresses: each batch is sorted and every table of the file is
 * walked once for all of it, so that the cost is that of the parts of the
 * file that the answers lie in. One symbolizer is used by one thread at a
 * time; with is_parallel it uses all cores by itself.
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
    bool is_parallel;  /* may use base/parallel; false in the library */
    bool symbols_only; /* symbol tables alone: no DWARF ("fastlocal") */
    const char *const *debug_dirs; /* closed by NULL; NULL: /usr/lib/debug */
    const uint8_t *build_id;       /* expected */
    size_t build_id_len;           /* 0: any */
};

/*
 * options may be NULL. Fails if the file cannot be opened, is no ELF file, or
 * has another build id than was expected; that debug information is missing
 * is no failure: see cp_symbolizer_reason.
 */
enum cp_status cp_symbolizer_open(struct cp_symbolizer **out, const char *path,
                                  const struct cp_symbolizer_options *options,
                                  struct cp_error *err);

/*
 * The same over the bytes of an ELF file that outlive it, such as the vDSO's.
 * Nothing but them is looked at: no debug files, no .dwo files.
 */
enum cp_status cp_symbolizer_view(struct cp_symbolizer **out, const void *bytes,
                                  size_t len,
                                  const struct cp_symbolizer_options *options,
                                  struct cp_error *err);

/*
 * Addresses are the file's own virtual addresses, in any order, and are not
 * adjusted: callers subtract 1 from return addresses.
 */
enum cp_status cp_symbolizer_resolve(struct cp_symbolizer *s,
                                     const uint64_t *addresses, size_t n,
                                     cp_symbol_sink *sink, void *context,
                                     struct cp_error *err);

/* Ends the life of all frames given so far: for those who ask for ever. */
void cp_symbolizer_forget(struct cp_symbolizer *s);

/*
 * Why lines or names are missing ("no debug info; install libc6-dbg or set
 * DEBUGINFOD_URLS"), or NULL.
 */
const char *cp_symbolizer_reason(const struct cp_symbolizer *s);

/* The ELF file that was opened, until close. */
struct cp_elf *cp_symbolizer_elf(struct cp_symbolizer *s);

/* The file that has its symbol table, if that is another one; else NULL. */
struct cp_elf *cp_symbolizer_debug_elf(struct cp_symbolizer *s);

/* NULL is allowed. */
void cp_symbolizer_close(struct cp_symbolizer *s);

#endif
