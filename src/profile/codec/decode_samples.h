/*
 * decode_samples - decodes the samples of a profile.proto message on all cores.
 *
 * decode.c calls it when all other tables are complete.
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
    /* NULL, or the buffer whose pages are released once decoded */
    const struct cp_bytes *discard;
    const struct cp_idmap *location_ids;
    /* profile string number by string index of the file */
    const uint32_t *strings;
    uint64_t n_strings;
    /* receives samples, values, locs and label sets */
    struct cp_profile *profile;
};

enum cp_status cp_decode_samples(const struct cp_decode_samples *in,
                                 struct cp_error *err);

#endif
