/*
 * decode_scan - where each table of a profile.proto message lies.
 *
 * One pass over the outermost fields. Neighbouring fields of one number form
 * a run; long runs of samples are cut into pieces that can be decoded apart.
 * Shared by decode.c and decode_samples.c only.
 */
#ifndef CP_DECODE_SCAN_H
#define CP_DECODE_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/codec/wire.h"

enum cp_scan_field {
    CP_SCAN_TYPE = 1,
    CP_SCAN_SAMPLE,
    CP_SCAN_MAPPING,
    CP_SCAN_LOCATION,
    CP_SCAN_FUNCTION,
    CP_SCAN_STRING,
    CP_SCAN_DROP,
    CP_SCAN_KEEP,
    CP_SCAN_TIME,
    CP_SCAN_DURATION,
    CP_SCAN_PERIOD_TYPE,
    CP_SCAN_PERIOD,
    CP_SCAN_COMMENT,
    CP_SCAN_DEFAULT,
    CP_SCAN_DOC,
    CP_SCAN_FIELDS,
};

struct cp_scan_run {
    size_t from, to; /* byte range of whole fields, keys included */
    uint32_t field, n;
};

/* Starts as { 0 }. */
struct cp_scan {
    const uint8_t *base;
    struct cp_scan_run *runs;
    size_t n_runs, cap_runs;
    uint64_t n[CP_SCAN_FIELDS];      /* fields of each number */
    uint64_t scalar[CP_SCAN_FIELDS]; /* last value of each single field */
};

/* CP_EOTHER when the bytes are not a message, or fields have wrong kinds. */
enum cp_status cp_scan_init(struct cp_scan *s, const uint8_t *data, size_t len,
                            struct cp_error *err);
void cp_scan_release(struct cp_scan *s);

/* A cursor over the fields of a run. */
static inline struct cp_wire cp_scan_wire(const struct cp_scan *s,
                                          const struct cp_scan_run *run)
{
    return (struct cp_wire){ s->base + run->from, s->base + run->to };
}

#endif
