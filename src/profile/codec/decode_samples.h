/*
 * decode_samples - the samples of a profile.proto message, on all cores.
 *
 * Called by decode.c when every other table is in place.
 */
#ifndef CP_DECODE_SAMPLES_H
#define CP_DECODE_SAMPLES_H

#include <stdint.h>

#include "base/error.h"

struct cp_bytes;
struct cp_idmap;
struct cp_profile;
struct cp_scan;

struct cp_decode_samples {
    const struct cp_scan *scan;
    const struct cp_bytes *discard; /* give pages back as they are read */
    const struct cp_idmap *location_ids;
    const uint32_t *strings; /* string number by index in the file */
    uint64_t n_strings;
    struct cp_profile *profile; /* its samples, values, locs, labels are set */
};

enum cp_status cp_decode_samples(const struct cp_decode_samples *in,
                                 struct cp_error *err);

#endif
