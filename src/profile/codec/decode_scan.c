/* decode_scan.c - the pass over the outermost fields of a message. */
#include "profile/codec/decode_scan.h"

#include "base/alloc.h"

/* bytes of samples that one worker decodes at a time */
#define PIECE_BYTES ((size_t)128 << 10)

static bool is_message(uint64_t field)
{
    return field <= CP_SCAN_STRING || field == CP_SCAN_PERIOD_TYPE;
}

/* Adds the field at [from, to) to the last run, or starts a new run. */
static enum cp_status add_field(struct cp_scan *s, uint32_t field, size_t from,
                                size_t to, struct cp_error *err)
{
    struct cp_scan_run *last = s->n_runs ? &s->runs[s->n_runs - 1] : NULL;

    CP_ASSERT(field > 0 && field < CP_SCAN_FIELDS);
    CP_ASSERT(from < to && (!last || last->to <= from));
    if (last && last->field == field && last->to == from &&
        (field != CP_SCAN_SAMPLE || last->to - last->from < PIECE_BYTES)) {
        last->to = to;
        last->n++;
        return CP_OK;
    }
    if (cp_reserve(&s->runs, &s->cap_runs, s->n_runs + 1, sizeof(*s->runs),
                   err) != CP_OK)
        return CP_ENOMEM;
    s->runs[s->n_runs++] = (struct cp_scan_run){ from, to, field, 1 };
    return CP_OK;
}

/* Whether the wire type of a known field is valid. */
static bool has_right_kind(const struct cp_wire_field *f)
{
    if (is_message(f->number))
        return f->type == CP_WIRE_BYTES;
    if (f->number == CP_SCAN_COMMENT)
        return f->type == CP_WIRE_BYTES || f->type == CP_WIRE_VARINT;
    return f->type == CP_WIRE_VARINT;
}

static enum cp_status handle_field(struct cp_scan *s,
                                   const struct cp_wire_field *f, size_t from,
                                   size_t to, struct cp_error *err)
{
    if (f->number == 0 || f->number >= CP_SCAN_FIELDS)
        return CP_OK;
    if (!has_right_kind(f))
        return cp_error_set(err, CP_EOTHER,
                            "field %u has a wrong wire type at byte %zu",
                            (unsigned)f->number, from);
    if (f->number == CP_SCAN_TIME && s->scalar[CP_SCAN_TIME] != 0)
        return cp_error_set(err, CP_EFORMAT, "concatenated profiles detected");
    s->n[f->number]++;
    if (!is_message(f->number) && f->number != CP_SCAN_COMMENT) {
        s->scalar[f->number] = f->value;
        return CP_OK;
    }
    return add_field(s, (uint32_t)f->number, from, to, err);
}

enum cp_status cp_scan_init(struct cp_scan *s, const uint8_t *data, size_t len,
                            struct cp_error *err)
{
    struct cp_wire w = { data, data + len };
    struct cp_wire_field f;

    s->base = data;
    while (w.pos < w.end) {
        size_t from = (size_t)(w.pos - data);
        enum cp_status status;

        CP_ASSERT(from < len);
        if (!cp_wire_field(&w, &f))
            return cp_error_set(err, CP_EOTHER,
                                "not a protobuf message at byte %zu", from);
        status = handle_field(s, &f, from, (size_t)(w.pos - data), err);
        if (status != CP_OK)
            return status;
    }
    for (int i = 1; i < CP_SCAN_FIELDS; i++)
        if (s->n[i] >= UINT32_MAX)
            return cp_error_set(
                err, CP_EFORMAT,
                "malformed profile: a table has over 4 billion entries");
    return CP_OK;
}

void cp_scan_release(struct cp_scan *s)
{
    cp_free(s->runs);
    *s = (struct cp_scan){ 0 };
}
