/*
 * dwarf_worker - what one thread needs to read units.
 *
 * The tables that it decodes are kept for the next unit; the frames that it
 * makes live in its arena until the symbolizer forgets them.
 *
 * Fuel bounds the work on a file that was made to cost much: every byte that
 * is decoded more than once (shared abbreviations, range lists, line tables)
 * is counted, and when a multiple of the file's size has been read, the rest
 * stays unknown. Files that compilers write use a small part of it.
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

/* A function or an inlined call that holds addresses that were asked for. */
struct cp_record {
    const uint8_t *entry; /* in the unit's .debug_info */
    uint32_t outer;       /* the record that it is called from, or none */
    uint32_t level;       /* 0: a function, 1: inlined into it, ... */
    uint32_t call_file, call_line, call_column;
    uint32_t start_line;     /* once named */
    const char *function;    /* once named */
    bool is_named, is_plain; /* the name may lack its scope and types */
};

struct cp_worker {
    struct cp_abbrev_cache abbrevs;
    struct cp_line line;
    struct cp_arena arena;
    int64_t fuel;
    size_t n_frames_left;      /* more frames than that are not given */
    struct cp_record *records; /* of the current unit */
    size_t n_records, records_cap;
    uint32_t *heads; /* innermost record of each address of the unit */
    size_t heads_cap;
    struct cp_line_row *rows; /* of each address of the unit */
    size_t rows_cap;
    uint8_t *levels; /* levels of inlining of the entries that are open */
    size_t levels_cap;
};

/* Fills the tank before a batch of n addresses in sections of len bytes. */
void cp_worker_begin(struct cp_worker *w, size_t n, size_t len);

void cp_worker_release(struct cp_worker *w);

/*
 * Reads the root of a unit into *u, and its code attributes into *out_code,
 * which may be NULL. False: it cannot be read.
 */
bool cp_worker_root(struct cp_worker *w, struct cp_dwarf_unit *u,
                    struct cp_code *out_code);

/* Names a record of the unit: function and start_line. */
void cp_worker_name(struct cp_worker *w, const struct cp_dwarf_unit *u,
                    struct cp_record *record);

#endif
