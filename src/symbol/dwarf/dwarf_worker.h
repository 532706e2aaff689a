/*
 * dwarf_worker - the state of one thread that reads units.
 *
 * Decoded tables are cached for the next unit. Frames live in the worker's
 * arena until cp_symbolizer_drop_frames.
 *
 * Fuel limits the work on a malicious file: every byte that is decoded more
 * than once (shared abbreviations, range lists, line tables) is counted. After
 * a multiple of the file size the remaining addresses stay unknown. Files from
 * compilers use a small part of it.
 */
#ifndef CP_DWARF_WORKER_H
#define CP_DWARF_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "symbol/dwarf/dwarf_abbrev.h"
#include "symbol/dwarf/dwarf_line.h"

struct cp_code;
struct cp_dwarf_unit;

#define CP_NO_RECORD UINT32_MAX

/* A function or inlined call that contains requested addresses. */
struct cp_record {
    const uint8_t *entry; /* position in the unit's .debug_info */
    uint32_t outer;       /* index of the calling record, or CP_NO_RECORD */
    uint32_t level;       /* 0 for a function, 1 if inlined into it, ... */
    uint32_t call_file, call_line, call_column;
    uint32_t start_line;     /* valid once is_named */
    const char *function;    /* valid once is_named */
    bool is_named, is_plain; /* is_plain: the name may lack scope and types */
};

struct cp_worker {
    struct cp_abbrev_cache abbrevs;
    struct cp_line line;
    struct cp_arena arena;
    int64_t fuel;
    size_t n_frames_left;      /* frames that may still be created */
    struct cp_record *records; /* records of the current unit */
    size_t n_records, records_cap;
    uint32_t *heads; /* innermost record of each address of the unit */
    size_t heads_cap;
    struct cp_line_row *rows; /* line row of each address of the unit */
    size_t rows_cap;
    uint8_t *levels; /* inlining levels of the open entries */
    size_t levels_cap;
};

/* Sets the fuel for a batch of n addresses in sections of len bytes. */
void cp_worker_begin(struct cp_worker *w, size_t n, size_t len);

void cp_worker_release(struct cp_worker *w);

/*
 * Reads the root of a unit into *u, and its code attributes into *out_code,
 * which may be NULL. False if it cannot be read.
 */
bool cp_worker_root(struct cp_worker *w, struct cp_dwarf_unit *u,
                    struct cp_code *out_code);

/* Sets function and start_line of a record. */
void cp_worker_name(struct cp_worker *w, const struct cp_dwarf_unit *u,
                    struct cp_record *record);

#endif
