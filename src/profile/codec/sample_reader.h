/*
 * sample_reader - one Sample message into the arrays of a profile.
 *
 * The innermost part of decoding, used by decode_samples.c, where all ids are
 * known beforehand, and by stream.c, where they are not. One reader a thread.
 */
#ifndef CP_SAMPLE_READER_H
#define CP_SAMPLE_READER_H

#include <stdint.h>

#include "base/error.h"
#include "profile/codec/raw_labels.h"
#include "profile/codec/wire.h"

struct cp_idmap;
struct cp_profile;
struct cp_varints;

/* Starts as { 0 } but for the first two, and one of the next two. */
struct cp_sample_reader {
    struct cp_profile *profile; /* room for samples, values, locs */
    uint32_t n_types;           /* values that each sample must have */
    /* NULL: ids less one are kept in place of indexes, to be settled later */
    const struct cp_idmap *ids;
    const struct cp_varints *varints; /* needed where ids is NULL */
    uint32_t most; /* the highest such; CP_NONE if one was 0 or too large */
    struct cp_raw_labels labels;
    struct cp_error err;
};

/*
 * Fills sample `number` from msg. Its stack goes to *first_loc onwards, which
 * moves behind it. On failure r->err says why. Labels are looked up later:
 * see cp_raw_labels_end.
 */
enum cp_status cp_sample_read(struct cp_sample_reader *r, struct cp_wire msg,
                              uint32_t number, uint64_t *first_loc);

/* Says that a sample is malformed; returns CP_EFORMAT. */
enum cp_status cp_sample_broken(struct cp_error *err, uint32_t number,
                                const char *what);

#endif
