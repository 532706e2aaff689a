/*
 * test_decode_scan.c - tests src/profile/codec/decode_scan.c: how fields are
 * grouped into runs and where runs of samples are split.
 */
#include "profile/codec/decode_scan.h"

#include <stdlib.h>

#include "check.h"

#define PIECE_BYTES ((size_t)128 << 10)

/* Writes a length-delimited field of `size` bytes in all; size is 2 to 129. */
static uint8_t *put_field(uint8_t *at, unsigned number, size_t size)
{
    at[0] = (uint8_t)(number << 3 | CP_WIRE_BYTES);
    at[1] = (uint8_t)(size - 2);
    memset(at + 2, 0, size - 2);
    return at + size;
}

static void test_equal_fields_form_a_run(void)
{
    uint8_t bytes[64], *at = bytes;
    struct cp_scan s = { 0 };

    at = put_field(at, CP_SCAN_STRING, 2);
    at = put_field(at, CP_SCAN_STRING, 5);
    at = put_field(at, CP_SCAN_MAPPING, 3);
    at = put_field(at, CP_SCAN_STRING, 2);
    CHECK_INT(cp_scan_init(&s, bytes, (size_t)(at - bytes), NULL), CP_OK);
    CHECK_INT(s.n_runs, 3);
    CHECK_INT(s.runs[0].field, CP_SCAN_STRING);
    CHECK_INT(s.runs[0].n, 2);
    CHECK_INT(s.runs[0].from, 0);
    CHECK_INT(s.runs[0].to, 7);
    CHECK_INT(s.runs[1].field, CP_SCAN_MAPPING);
    CHECK_INT(s.runs[2].from, 10);
    CHECK_INT(s.runs[2].to, 12);
    CHECK_INT(s.n[CP_SCAN_STRING], 3);
    cp_scan_release(&s);
}

static void test_unknown_fields_are_ignored(void)
{
    static const uint8_t bytes[] = {
        0 << 3 | 2, 0,    /* field 0 */
        0x82,       1, 0, /* field 16, one beyond the last */
        15 << 3,    7,    /* doc_url */
        10 << 3,    9, 10 << 3, 8,
    };
    struct cp_scan s = { 0 };

    CHECK_INT(cp_scan_init(&s, bytes, sizeof(bytes), NULL), CP_OK);
    CHECK_INT(s.n_runs, 0);
    CHECK_INT(s.n[0], 0);
    CHECK_INT(s.scalar[CP_SCAN_DOC], 7);
    CHECK_INT(s.scalar[CP_SCAN_DURATION], 8);
    CHECK_INT(s.n[CP_SCAN_DURATION], 2);
    cp_scan_release(&s);
}

/* A run of samples ends once it has PIECE_BYTES; other runs never do. */
static void check_split(unsigned field, size_t n_first, size_t last_size,
                        size_t n_runs)
{
    uint8_t *bytes = malloc(2 * PIECE_BYTES), *at = bytes;
    struct cp_scan s = { 0 };

    for (size_t i = 0; i < n_first; i++)
        at = put_field(at, field, 128);
    at = put_field(at, field, last_size);
    at = put_field(at, field, 2);
    CHECK_INT(cp_scan_init(&s, bytes, (size_t)(at - bytes), NULL), CP_OK);
    CHECK_INT(s.n_runs, n_runs);
    CHECK_INT(s.n[field], n_first + 2);
    cp_scan_release(&s);
    free(bytes);
}

static void test_long_runs_of_samples_are_split(void)
{
    check_split(CP_SCAN_SAMPLE, PIECE_BYTES / 128 - 1, 127, 1);
    check_split(CP_SCAN_SAMPLE, PIECE_BYTES / 128 - 1, 128, 2);
    check_split(CP_SCAN_STRING, PIECE_BYTES / 128 - 1, 128, 1);
}

int main(void)
{
    RUN(test_equal_fields_form_a_run);
    RUN(test_unknown_fields_are_ignored);
    RUN(test_long_runs_of_samples_are_split);
    return check_failures != 0;
}
