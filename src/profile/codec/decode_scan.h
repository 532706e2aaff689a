/*
 * decode_scan - finds the byte range of each table of a profile.proto message.
 *
 * One pass over the outermost fields. Consecutive fields with the same number
 * form a run. Long runs of samples are split into pieces for parallel decoding.
 * Only decode.c and decode_samples.c use this header.
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
    size_t from, to; /* byte range of complete fields, keys included */
    uint32_t field, n;
};

/* Initialize with { 0 }. */
struct cp_scan {
    const uint8_t *base;
    struct cp_scan_run *runs;
    size_t n_runs, cap_runs;
    uint64_t n[CP_SCAN_FIELDS]; /* number of fields, by field number */
    /* last value of each scalar field, by field number */
    uint64_t scalar[CP_SCAN_FIELDS];
};

/*
 * Returns CP_EOTHER if the bytes are not a message or a field has a wrong wire
 * type.
 */
enum cp_status cp_scan_init(struct cp_scan *s, const uint8_t *data, size_t len,
                            struct cp_error *err);
void cp_scan_release(struct cp_scan *s);

/* Returns a cursor over the fields of a run. */
static inline struct cp_wire cp_scan_wire(const struct cp_scan *s,
                                          const struct cp_scan_run *run)
{
    return (struct cp_wire){ s->base + run->from, s->base + run->to };
}

#endif
