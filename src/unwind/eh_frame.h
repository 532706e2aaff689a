/*
 * eh_frame - finds the FDEs of .eh_frame: one for each function, with a CIE
 * that several FDEs share.
 *
 *   .eh_frame      entry: length (4; 0 ends), id (4), body
 *                  id 0: CIE; else FDE, whose CIE is id bytes before the id
 *   .eh_frame_hdr  version 1, three encodings (1 each), address of .eh_frame,
 *                  count, then (first pc, FDE) pairs sorted by pc
 *
 * The bytes are read in place, or in a copy: `bias` is added to the address of
 * a byte to get its address in the object. A malformed entry is skipped and
 * counted; nothing outside [start, end) is read.
 */
#ifndef CP_EH_FRAME_H
#define CP_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/cursor.h"

/* The bytes of one loaded object that hold its unwind information. */
struct cp_eh_bytes {
    const uint8_t *start, *end; /* readable range */
    const uint8_t *hdr;         /* .eh_frame_hdr, or NULL */
    const uint8_t *frame;       /* .eh_frame; NULL if found through hdr */
    intptr_t bias;              /* bytes; 0 if the object is read in place */
};

struct cp_cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t ra_column;
    uint8_t fde_encoding;
    bool has_augmentation; /* whether FDEs have augmentation data */
    bool is_signal;        /* whether this is the code of a signal frame */
    struct cp_cursor program;
};

struct cp_fde {
    uint64_t start, end; /* addresses of the function */
    struct cp_cie cie;
    struct cp_cursor program;
};

/* Receives an FDE. Returns false to stop. */
typedef bool cp_fde_sink(void *context, const struct cp_fde *fde);

/*
 * Passes every well-formed FDE to sink: in the order of addresses if
 * .eh_frame_hdr has its table, else in the order of the section. Returns the
 * number of malformed entries.
 */
size_t cp_eh_frame_each(const struct cp_eh_bytes *bytes, cp_fde_sink *sink,
                        void *context);

#endif
