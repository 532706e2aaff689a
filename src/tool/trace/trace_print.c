/*
 * trace_print.c - prints the table of threads as text, JSON or CSV.
 *
 * JSON is one object: {"format":"go 1.22","seconds":...,"threads":[{"name":
 * ...,"id":...,"start_ns":...},...],"events":...,"lost":...}. JSON and CSV have
 * the same columns, with units in their names. An unknown value is null in JSON
 * and empty in CSV.
 */
#include "tool/trace/trace_print.h"

#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "base/units.h"
#include "base/utf8.h"
#include "report/core/escape.h"
#include "trace/read/read_spans.h"
#include "trace/read/read_threads.h"

#define NAME_CHARS 60

static const char *const suffixes[] = {
    [CP_TRACE_UNIT_COUNT] = "",
    [CP_TRACE_UNIT_NS] = "_ns",
    [CP_TRACE_UNIT_BYTES] = "_bytes",
    [CP_TRACE_UNIT_PERCENT] = "_percent",
};

static size_t n_written(const struct cp_trace_threads *t, size_t max_rows)
{
    return max_rows && max_rows < t->n_rows ? max_rows : t->n_rows;
}

/* Formats a cell for the text table. */
static void cell(const struct cp_trace_row *r, enum cp_trace_column c,
                 char out[CP_LABEL_BYTES])
{
    uint64_t value = r->values[c];

    out[0] = '\0';
    if (!cp_trace_row_has(r, c))
        return;
    if (cp_trace_columns[c].unit == CP_TRACE_UNIT_NS)
        cp_unit_label((int64_t)value, "ns", "auto", out);
    else if (cp_trace_columns[c].unit == CP_TRACE_UNIT_PERCENT)
        (void)snprintf(out, CP_LABEL_BYTES, "%.1f%%", (double)value / 100);
    else
        (void)snprintf(out, CP_LABEL_BYTES, "%llu", (unsigned long long)value);
}

/*
 * Whether any row has a value in this column. The text table omits empty
 * columns.
 */
static bool is_used(const struct cp_trace_threads *t, enum cp_trace_column c)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (cp_trace_row_has(&t->rows[i], c))
            return true;
    return false;
}

static void find_widths(const struct cp_trace_threads *t, size_t n,
                        size_t widths[CP_TRACE_N_COLUMNS])
{
    char text[CP_LABEL_BYTES];

    for (int c = 0; c < CP_TRACE_N_COLUMNS; c++) {
        const char *title = cp_trace_columns[c].title;

        widths[c] =
            title && is_used(t, (enum cp_trace_column)c) ? strlen(title) : 0;
        for (size_t i = 0; widths[c] && i < n; i++) {
            cell(&t->rows[i], (enum cp_trace_column)c, text);
            if (strlen(text) > widths[c])
                widths[c] = strlen(text);
        }
    }
}

/* Writes a thread name, shortened and without control characters. */
static void write_name(struct cp_out *out, struct cp_str name)
{
    size_t n = 0;

    for (uint32_t i = 0; i < name.len && n < NAME_CHARS; n++) {
        uint32_t rune;
        size_t len = cp_utf8_decode(name.ptr + i, name.len - i, &rune);

        if (len == 0 || rune < 0x20 || (rune >= 0x7f && rune < 0xa0))
            cp_out_char(out, '?');
        else
            cp_out_bytes(out, name.ptr + i, len);
        i += (uint32_t)(len ? len : 1);
    }
}

static void write_summary(const struct cp_trace_threads *t, struct cp_out *out)
{
    const struct cp_trace_summary *s = cp_trace_spans_summary(t->spans);

    cp_out_printf(out, "%zu threads, %llu events, %llu samples, %.3f s",
                  t->n_rows, (unsigned long long)s->n_events,
                  (unsigned long long)s->n_samples,
                  (double)(s->last_ns - s->first_ns) / 1e9);
    if (t->n_lost)
        cp_out_printf(out, ", %llu lost", (unsigned long long)t->n_lost);
    cp_out_printf(out, " (go 1.%d trace)\n", s->minor);
}

static void write_text(const struct cp_trace_threads *t, size_t n,
                       struct cp_out *out)
{
    size_t widths[CP_TRACE_N_COLUMNS];
    char text[CP_LABEL_BYTES];

    find_widths(t, n, widths);
    for (int c = 0; c < CP_TRACE_N_COLUMNS; c++)
        if (widths[c]) {
            cp_out_right(out, cp_trace_columns[c].title, widths[c]);
            cp_out_cstr(out, "  ");
        }
    cp_out_cstr(out, "NAME\n");
    for (size_t i = 0; i < n; i++) {
        for (int c = 0; c < CP_TRACE_N_COLUMNS; c++)
            if (widths[c]) {
                cell(&t->rows[i], (enum cp_trace_column)c, text);
                cp_out_right(out, text, widths[c]);
                cp_out_cstr(out, "  ");
            }
        write_name(out, cp_trace_spans_title(t->spans, t->rows[i].lane));
        cp_out_char(out, '\n');
    }
    write_summary(t, out);
}

/* Writes a value for JSON or CSV; `none` if it is unknown. */
static void write_value(const struct cp_trace_row *r, int c, const char *none,
                        struct cp_out *out)
{
    if (!cp_trace_row_has(r, (enum cp_trace_column)c))
        cp_out_cstr(out, none);
    else if (cp_trace_columns[c].unit == CP_TRACE_UNIT_PERCENT)
        cp_out_printf(out, "%.2f", (double)r->values[c] / 100);
    else
        cp_out_u64(out, r->values[c]);
}

static void write_json(const struct cp_trace_threads *t, size_t n,
                       struct cp_out *out)
{
    const struct cp_trace_summary *s = cp_trace_spans_summary(t->spans);

    cp_out_printf(out,
                  "{\"format\":\"go 1.%d\",\"seconds\":%.9f,\"events\":%llu,"
                  "\"samples\":%llu,\"lost\":%llu,\"n_threads\":%zu,"
                  "\"threads\":[",
                  s->minor, (double)(s->last_ns - s->first_ns) / 1e9,
                  (unsigned long long)s->n_events,
                  (unsigned long long)s->n_samples,
                  (unsigned long long)t->n_lost, t->n_rows);
    for (size_t i = 0; i < n; i++) {
        const struct cp_trace_row *r = &t->rows[i];

        cp_out_printf(out, "%s\n{\"name\":", i ? "," : "");
        cp_escape_json(out, cp_trace_spans_title(t->spans, r->lane));
        for (int c = 0; c < CP_TRACE_N_COLUMNS; c++) {
            cp_out_printf(out, ",\"%s%s\":", cp_trace_columns[c].name,
                          suffixes[cp_trace_columns[c].unit]);
            write_value(r, c, "null", out);
        }
        cp_out_char(out, '}');
    }
    cp_out_cstr(out, "\n]}\n");
}

static void write_csv(const struct cp_trace_threads *t, size_t n,
                      struct cp_out *out)
{
    cp_out_cstr(out, "name");
    for (int c = 0; c < CP_TRACE_N_COLUMNS; c++)
        cp_out_printf(out, ",%s%s", cp_trace_columns[c].name,
                      suffixes[cp_trace_columns[c].unit]);
    cp_out_cstr(out, "\r\n");
    for (size_t i = 0; i < n; i++) {
        cp_escape_csv(out, cp_trace_spans_title(t->spans, t->rows[i].lane));
        for (int c = 0; c < CP_TRACE_N_COLUMNS; c++) {
            cp_out_char(out, ',');
            write_value(&t->rows[i], c, "", out);
        }
        cp_out_cstr(out, "\r\n");
    }
}

void cp_trace_print(const struct cp_trace_threads *t, enum cp_trace_style style,
                    size_t max_rows, struct cp_out *out)
{
    size_t n = n_written(t, max_rows);

    if (style == CP_TRACE_STYLE_JSON)
        write_json(t, n, out);
    else if (style == CP_TRACE_STYLE_CSV)
        write_csv(t, n, out);
    else
        write_text(t, n, out);
}
