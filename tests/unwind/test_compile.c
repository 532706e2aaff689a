/* test_compile - entries, gaps and lookups of compiled modules. */
#include "base/alloc.h"
#include "signal/unwinder/unwind_table.h"
#include "unwind/cfi.h"
#include "unwind/compile.h"

#include "check.h"
#include "unwind/eh_bytes.h"

static _Atomic uint64_t cache[CP_UNWIND_CACHE_SLOTS];

static struct cp_compile_input input_of(const struct eh_bytes *b)
{
    return (struct cp_compile_input){ .bytes = eh_section(b),
                                      .code_start = 0x10000,
                                      .code_end = 0x20000,
                                      .machine = &cp_cfi_x86_64 };
}

/* The CFA's offset at an address; -1: no row. */
static int offset_at(const struct cp_unwind_module *m, uintptr_t pc)
{
    struct cp_unwind_table table = { 1, m, cache };
    const struct cp_cfi_row *row;

    memset((void *)cache, 0, sizeof(cache));
    row = cp_unwind_table_row(&table, pc);
    CHECK(row == cp_unwind_table_row(&table, pc)); /* from the cache */
    return row->cfa == CP_CFA_NONE ? -1 : row->cfa_offset;
}

static void test_rows(void)
{
    static const struct {
        uintptr_t pc;
        int offset;
    } rows[] = {
        { 0xffff, -1 },  { 0x10000, -1 }, { 0x10fff, -1 }, { 0x11000, 8 },
        { 0x11001, 16 }, { 0x1101f, 16 }, { 0x11020, 8 },  { 0x1103f, 8 },
        { 0x11040, -1 }, { 0x1ffff, 24 }, { 0x20000, -1 },
    };
    struct eh_bytes b = { 0 };
    struct cp_compile_input in;
    struct cp_unwind_module m = { 0 };
    struct cp_error err;

    eh_cie(&b, "zR", EH_START, 5);
    eh_fde(&b, 0x11000, 0x20, "\x41\x0e\x10", 3);
    eh_fde(&b, 0x11020, 0x20, "", 0);
    eh_fde(&b, 0x1fff0, 0x10, "\x0e\x18", 2);
    eh_fde(&b, 0x30000, 0x10, "\x0e\x18", 2); /* outside */
    in = input_of(&b);
    CHECK(cp_compile(&in, &m, &err) == CP_OK);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        CHECK_INT(offset_at(&m, rows[i].pc), rows[i].offset);
    CHECK(cp_compile_bytes(&m) > 0);
    cp_compile_release(&m);
}

/* Out of order, as in objects without a table. */
static void test_unsorted(void)
{
    struct eh_bytes b = { 0 };
    struct cp_compile_input in;
    struct cp_unwind_module m = { 0 };
    struct cp_error err;

    eh_cie(&b, "zR", EH_START, 5);
    for (uint64_t i = 0; i < 15; i++) {
        char program[] = { '\x0e', (char)(8 * i + 8) };

        eh_fde(&b, 0x10000 + (i * 7 % 16) * 0x40, 0x40, program, 2);
    }
    in = input_of(&b);
    CHECK(cp_compile(&in, &m, &err) == CP_OK);
    for (uint64_t i = 0; i < 15; i++) {
        uintptr_t pc = 0x10000 + (i * 7 % 16) * 0x40;

        CHECK_INT(offset_at(&m, pc), 8 * i + 8);
        CHECK_INT(offset_at(&m, pc + 0x3f), 8 * i + 8);
    }
    CHECK_INT(offset_at(&m, 0x10400), -1);
    cp_compile_release(&m);
}

static void test_limits(void)
{
    struct eh_bytes b = { 0 };
    struct cp_compile_input in;
    struct cp_unwind_module m = { 0 };
    struct cp_error err = { 0 };

    eh_cie(&b, "zR", EH_START, 5);
    eh_fde(&b, 0x11000, 0x20, "\x41\x0e\x10\x41\x0e\x18", 6);
    in = input_of(&b);
    in.max_rows = 2;
    CHECK(cp_compile(&in, &m, &err) == CP_ENOMEM);
    CHECK_STR(err.msg, "unwind table too large");
    in.max_rows = 0;
    in.code_end = in.code_start;
    CHECK(cp_compile(&in, &m, &err) == CP_EFORMAT);
    in.code_end = in.code_start + 0x10000;
    for (long n = 1; n < 3; n++) {
        cp_alloc_fail_at(n);
        CHECK(cp_compile(&in, &m, &err) == CP_ENOMEM);
    }
    cp_alloc_fail_at(0);
    CHECK(m.pcs == NULL);
}

int main(void)
{
    RUN(test_rows);
    RUN(test_unsorted);
    RUN(test_limits);
    return check_failures != 0;
}
