/*
 * sample_reader - decodes one Sample message into the arrays of a profile.
 *
 * decode_samples.c uses it with an id map. stream.c uses it without one,
 * because the locations follow the samples. One reader per thread.
 */
#ifndef CP_SAMPLE_READER_H
#define CP_SAMPLE_READER_H

#include <stdint.h>

#include "profile/codec/raw_labels.h"
#include "profile/codec/wire.h"

struct cp_idmap;
struct cp_profile;
struct cp_varints;

/*
 * The caller sets profile, n_types, and either ids or varints; the rest starts
 * as 0.
 */
struct cp_sample_reader {
    struct cp_profile *profile; /* has space for samples, values and locs */
    uint32_t n_types; /* number of values that each sample must have */
    /* if NULL, stores id - 1 instead of an index, for the caller to resolve */
    const struct cp_idmap *ids;
    const struct cp_varints *varints; /* required if ids is NULL */
    /* highest id - 1; CP_NONE after an id that is 0 or exceeds 32 bits */
    uint32_t max_loc;
    struct cp_raw_labels labels;
    struct cp_error err;
};

/*
 * Decodes msg into sample `number`. Its stack is stored at *first_loc, which
 * advances by the depth. On failure r->err has the reason. The label set is
 * resolved later (cp_raw_labels_end).
 */
enum cp_status cp_sample_read(struct cp_sample_reader *r, struct cp_wire msg,
                              uint32_t number, uint64_t *first_loc);

/* Sets *err to "sample NUMBER WHAT"; returns CP_EFORMAT. */
enum cp_status cp_sample_broken(struct cp_error *err, uint32_t number,
                                const char *what);

#endif
