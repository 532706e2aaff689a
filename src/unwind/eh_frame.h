/*
 * eh_frame - finds the entries of .eh_frame: one FDE a function, each with a
 * CIE that it shares with others.
 *
 *   .eh_frame      entry: length (4; 0 closes), id (4), body
 *                  id 0: CIE; else FDE, whose CIE lies id bytes before the id
 *   .eh_frame_hdr  version 1, three encodings (1 each), address of .eh_frame,
 *                  count, then (first pc, FDE) pairs sorted by pc
 *
 * Reads objects as they lie in memory (bias 0) or as a copy of them: what
 * `bias` must be added to to give a byte's own address. Bad bytes are an
 * error of that entry, never a read outside.
 */
#ifndef CP_EH_FRAME_H
#define CP_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/cursor.h"

/* The bytes of one loaded object that hold its unwind information. */
struct cp_eh_bytes {
    const uint8_t *start, *end; /* the whole stretch; nothing else is read */
    const uint8_t *hdr;         /* .eh_frame_hdr in it, or NULL */
    const uint8_t *frame;       /* .eh_frame in it; NULL: as hdr says */
    intptr_t bias;
};

struct cp_cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t ra_column;
    uint8_t fde_encoding;
    bool has_augmentation; /* FDEs have a length of augmentation data */
    bool is_signal;        /* of the code that ends a signal handler */
    struct cp_cursor program;
};

struct cp_fde {
    uint64_t start, end; /* addresses */
    struct cp_cie cie;
    struct cp_cursor program;
};

/* Called for each function; false stops. */
typedef bool cp_fde_sink(void *context, const struct cp_fde *fde);

/*
 * Gives every FDE that can be read to sink: in the order of addresses if
 * there is a sorted table, else in that of the section. Returns the number of
 * entries that could not be read.
 */
size_t cp_eh_frame_each(const struct cp_eh_bytes *bytes, cp_fde_sink *sink,
                        void *context);

#endif
