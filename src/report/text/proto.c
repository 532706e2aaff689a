/* proto.c - the report "proto": the filtered profile as profile.proto. */

#include "profile/codec/encode.h"
#include "report/core/formats.h"
#include "report/core/report.h"

enum cp_status cp_write_proto(struct cp_report *r, struct cp_out *out,
                              struct cp_error *err)
{
    struct cp_profile *p = r->profile;
    size_t n = (size_t)p->n_samples * p->n_types;

    if (r->ratio > 0 && r->ratio != 1)
        for (size_t i = 0; i < n; i++)
            p->values[i] = cp_report_divide(r, p->values[i]);
    return cp_encode_gzip(p, out, err);
}
