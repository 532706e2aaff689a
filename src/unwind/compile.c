/*
 * compile.c - collects the rows of all FDEs, sorts them, builds the buckets.
 *
 * There may be a gap between two functions, so an entry with CP_CFI_NONE closes
 * each function. The next function overwrites it if it starts there.
 */
#include "unwind/compile.h"

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/sort.h"
#include "signal/unwinder/unwind_table.h"
#include "unwind/cfi.h"
#include "unwind/cfi_rows.h"

#define ROWS_PER_BUCKET 4

struct table {
    const struct cp_compile_input *input;
    struct cp_error *err;
    enum cp_status status;

    uint64_t *rows; /* offset << 16 | row index: sorts as an integer */
    size_t n_rows, cap_rows;
    bool is_unsorted;
};

static bool add_row(struct table *t, uint64_t address, uint32_t row)
{
    uint64_t pc = address - t->input->code_start;
    uint64_t last = t->n_rows ? t->rows[t->n_rows - 1] : 0;

    if (t->status != CP_OK)
        return false;
    if (t->n_rows && !t->is_unsorted) {
        if (last >> 16 == pc) {
            t->rows[t->n_rows - 1] = pc << 16 | row;
            return true;
        }
        if ((last & 0xffff) == row && last >> 16 < pc)
            return true;
    }
    if (t->input->max_rows && t->n_rows >= t->input->max_rows)
        t->status = cp_error_set(t->err, CP_ENOMEM, "unwind table too large");
    else
        t->status = cp_reserve(&t->rows, &t->cap_rows, t->n_rows + 1,
                               sizeof(*t->rows), t->err);
    if (t->status != CP_OK)
        return false;
    t->rows[t->n_rows++] = pc << 16 | row;
    return true;
}

static bool on_row(void *context, uint64_t address,
                   const struct cp_cfi_row *row)
{
    struct table *t = context;

    return add_row(t, address, cp_cfi_rows_number(row));
}

static bool on_fde(void *context, const struct cp_fde *fde)
{
    struct table *t = context;
    uint64_t end = t->input->code_end;

    if (fde->start < t->input->code_start || fde->start >= end ||
        fde->end > end)
        return true;
    if (t->n_rows &&
        fde->start - t->input->code_start < t->rows[t->n_rows - 1] >> 16)
        t->is_unsorted = true;
    if (!cp_cfi_run(t->input->machine, fde, on_row, t) && t->status != CP_OK)
        return false;
    return add_row(t, fde->end, CP_CFI_NONE);
}

/*
 * Sorts, and keeps the last of the entries at one address: CP_CFI_NONE, which
 * is 0, comes first.
 */
static enum cp_status sort_rows(struct table *t)
{
    enum cp_status status =
        cp_sort_structs(t->rows, t->n_rows, sizeof(*t->rows), 0, t->err);
    size_t n = 0;

    for (size_t i = 0; status == CP_OK && i < t->n_rows; i++)
        if (i + 1 == t->n_rows || t->rows[i] >> 16 != t->rows[i + 1] >> 16)
            t->rows[n++] = t->rows[i];
    if (status == CP_OK)
        t->n_rows = n;
    return status;
}

/*
 * Returns the smallest shift with at least ROWS_PER_BUCKET entries in a bucket,
 * on average.
 */
static uint32_t choose_shift(uint64_t len, size_t n_rows)
{
    uint32_t shift = 4;

    while (shift < 31 && (len >> shift) > n_rows / ROWS_PER_BUCKET + 1)
        shift++;
    return shift;
}

static void fill_buckets(const struct table *t, uint32_t *buckets, size_t n,
                         uint32_t shift)
{
    size_t row = 0;

    for (size_t i = 0; i < n; i++) {
        while (row + 1 < t->n_rows && t->rows[row + 1] >> 16 <= (uint64_t)i
                                                                    << shift)
            row++;
        buckets[i] = (uint32_t)row;
    }
}

/* Allocates all tables as one block: buckets, pcs, row indexes. */
static enum cp_status finish(struct table *t, struct cp_unwind_module *out)
{
    uint64_t len = t->input->code_end - t->input->code_start;
    uint32_t shift = choose_shift(len, t->n_rows);
    size_t n_buckets = (size_t)(len >> shift) + 2, n = t->n_rows;
    uint32_t *buckets = cp_alloc(1, n * 6 + n_buckets * 4, t->err), *pcs;
    uint16_t *ids;

    if (!buckets)
        return CP_ENOMEM;
    CP_ASSERT(n > 0 && t->rows[0] >> 16 == 0);
    pcs = buckets + n_buckets;
    ids = (uint16_t *)(pcs + n);
    fill_buckets(t, buckets, n_buckets, shift);
    for (size_t i = 0; i < n; i++) {
        pcs[i] = (uint32_t)(t->rows[i] >> 16);
        ids[i] = (uint16_t)t->rows[i];
    }
    *out = (struct cp_unwind_module){ .start = t->input->code_start,
                                      .end = t->input->code_end,
                                      .pcs = pcs,
                                      .row_ids = ids,
                                      .buckets = buckets,
                                      .n_rows = (uint32_t)n,
                                      .shift = shift };
    return CP_OK;
}

enum cp_status cp_compile(const struct cp_compile_input *input,
                          struct cp_unwind_module *out, struct cp_error *err)
{
    struct table t = { .input = input, .err = err, .status = CP_OK };

    if (input->code_end <= input->code_start ||
        input->code_end - input->code_start > UINT32_MAX)
        return cp_error_set(err, CP_EFORMAT,
                            "code range is empty or 4 GiB or larger");
    (void)add_row(&t, input->code_start, CP_CFI_NONE);
    if (t.status == CP_OK)
        (void)cp_eh_frame_each(&input->bytes, on_fde, &t);
    if (t.status == CP_OK && t.is_unsorted)
        t.status = sort_rows(&t);
    if (t.status == CP_OK)
        t.status = finish(&t, out);
    cp_free(t.rows);
    return t.status;
}

void cp_compile_release(struct cp_unwind_module *m)
{
    cp_free((void *)(uintptr_t)m->buckets);
    *m = (struct cp_unwind_module){ 0 };
}

size_t cp_compile_bytes(const struct cp_unwind_module *m)
{
    if (!m->pcs)
        return 0;
    return (size_t)m->n_rows * 6 +
           ((size_t)((m->end - m->start) >> m->shift) + 2) * 4;
}
