/* test_cfi - CFA programs and their CFI rows. */
#include "signal/unwinder/cfi_row.h"
#include "unwind/cfi.h"
#include "unwind/eh_frame.h"

#include "check.h"

#define SAME CP_CFI_SAME

struct collected {
    uint64_t at[16];
    struct cp_cfi_row rows[16];
    size_t n;
};

static bool collect(void *context, uint64_t address,
                    const struct cp_cfi_row *row)
{
    struct collected *c = context;

    c->at[c->n] = address;
    c->rows[c->n] = *row;
    return ++c->n < 16;
}

static bool run(const char *program, size_t len, bool is_signal,
                struct collected *out)
{
    static const uint8_t start[] = "\x0c\x07\x08\x90\x01";
    const uint8_t *bytes = (const uint8_t *)program;
    struct cp_fde fde = {
        .start = 0x1000,
        .end = 0x1100,
        .cie = { .code_align = 1,
                 .data_align = -8,
                 .ra_column = 16,
                 .is_signal = is_signal,
                 .program = { start, start + 5, false } },
        .program = { bytes, bytes + len, false },
    };

    *out = (struct collected){ 0 };
    return cp_cfi_run(&cp_cfi_x86_64, &fde, collect, out);
}

/* The last row of a program. */
static const struct row {
    const char *name;
    const char *program;
    size_t len;
    struct cp_cfi_row row;
} rows[] = {
    { "nothing", "", 0, { 8, 0, -1, SAME, SAME, CP_CFA_SP, 0 } },
    { "push rbp",
      "\x41\x0e\x10\x86\x02",
      5,
      { 16, 0, -1, -2, SAME, CP_CFA_SP, 0 } },
    { "frame pointer",
      "\x41\x0e\x10\x86\x02\x43\x0d\x06",
      8,
      { 16, 0, -1, -2, SAME, CP_CFA_FP, 0 } },
    { "push rbx",
      "\x41\x0e\x10\x83\x02",
      5,
      { 16, 0, -1, SAME, -2, CP_CFA_SP, 0 } },
    { "remember and restore",
      "\x41\x0e\x20\x41\x0a\x0e\x08\x42\x0b",
      9,
      { 32, 0, -1, SAME, SAME, CP_CFA_SP, 0 } },
    { "restored register",
      "\x41\x86\x02\x41\xc6",
      5,
      { 8, 0, -1, SAME, SAME, CP_CFA_SP, 0 } },
    { "large frame",
      "\x41\x0e\x90\x80\x04",
      5,
      { 65552, 0, -1, SAME, SAME, CP_CFA_SP, 0 } },
    { "plt",
      "\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22",
      13,
      { 11, 0, -1, SAME, SAME, CP_CFA_PLT, 0 } },
    { "realigned stack",
      "\x41\x0c\x0a\x00\x49\x10\x06\x02\x76\x00\x44\x0f\x03\x76\x78\x06",
      16,
      { -8, 0, -1, 0, SAME, CP_CFA_FP_DEREF, CP_CFI_FP_AT_FP } },
    { "cfa in r10",
      "\x41\x0c\x0a\x00",
      4,
      { 0, 0, -1, SAME, SAME, CP_CFA_SCRATCH, 0 } },
    { "cfa in rbx",
      "\x41\x0c\x03\x10",
      4,
      { 16, 0, -1, SAME, SAME, CP_CFA_AUX, 0 } },
    { "cfa in r13: beyond us",
      "\x41\x0c\x0d\x10",
      4,
      { 0, 0, 0, 0, 0, CP_CFA_NONE, 0 } },
    { "return address in rdi",
      "\x41\x0e\x00\x09\x10\x05",
      6,
      { 0, 0, CP_CFI_ARG, SAME, SAME, CP_CFA_SP, 0 } },
    { "return address in r9: beyond us",
      "\x41\x09\x10\x09",
      4,
      { 0, 0, 0, 0, 0, CP_CFA_NONE, 0 } },
    { "outermost", "\x07\x10", 2, { 0, 0, CP_CFI_END, 0, 0, CP_CFA_SP, 0 } },
};

static void test_rows(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct collected c;

        check_case(rows[i].name);
        CHECK(run(rows[i].program, rows[i].len, false, &c));
        CHECK(c.n > 0 &&
              memcmp(&c.rows[c.n - 1], &rows[i].row, sizeof(rows[i].row)) == 0);
    }
}

static void test_addresses(void)
{
    struct collected c;

    CHECK(
        run("\x41\x0e\x10\x02\x20\x0e\x18\x03\x10\x00\x0e\x20", 12, false, &c));
    CHECK_INT(c.n, 4);
    CHECK_INT(c.at[0], 0x1000);
    CHECK_INT(c.at[1], 0x1001);
    CHECK_INT(c.at[2], 0x1021);
    CHECK_INT(c.at[3], 0x1031);
    CHECK_INT(c.rows[2].cfa_offset, 24);
}

static void test_signal(void)
{
    struct collected c;

    CHECK(run("\x0f\x02\x77\x00", 4, true, &c));
    CHECK_INT(c.rows[0].cfa, CP_CFA_SIGNAL);
}

/* A malformed program stops; the rows before are kept. */
static void test_broken(void)
{
    static const struct {
        const char *name, *program;
        size_t len;
    } bad[] = {
        { "unknown instruction", "\x41\x3f", 2 },
        { "cut operand", "\x41\x0e", 2 },
        { "cut expression", "\x41\x0f\x20\x77", 4 },
        { "nothing remembered", "\x41\x0b", 2 },
        { "past the end of the function", "\x04\x00\x10\x00\x00", 5 },
        { "remembered too often",
          "\x41\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"
          "\x0a",
          18 },
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct collected c;

        check_case(bad[i].name);
        CHECK(!run(bad[i].program, bad[i].len, false, &c));
        CHECK_INT(c.n, 1);
    }
}

static void test_aarch64(void)
{
    /* stp x29, x30, [sp, -32]!: CFA 32, x29 at -32, x30 at -24 */
    static const uint8_t start[] = "\x0c\x1f\x00";
    static const uint8_t body[] = "\x41\x0e\x20\x9d\x04\x9e\x03";
    struct cp_fde fde = {
        .start = 0x1000,
        .end = 0x1100,
        .cie = { .code_align = 4,
                 .data_align = -8,
                 .ra_column = 30,
                 .program = { start, start + 3, false } },
        .program = { body, body + 7, false },
    };
    struct collected c = { 0 };

    CHECK(cp_cfi_run(&cp_cfi_aarch64, &fde, collect, &c));
    CHECK_INT(c.n, 2);
    CHECK_INT(c.rows[0].ra, CP_CFI_SAME);
    CHECK_INT(c.at[1], 0x1004);
    CHECK_INT(c.rows[1].cfa_offset, 32);
    CHECK_INT(c.rows[1].ra, -3);
    CHECK_INT(c.rows[1].fp, -4);
}

int main(void)
{
    RUN(test_rows);
    RUN(test_addresses);
    RUN(test_signal);
    RUN(test_broken);
    RUN(test_aarch64);
    return check_failures != 0;
}
