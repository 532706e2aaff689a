/* test_disasm.c - tests src/symbol/code/disasm.c. */
#include "elf/elf_file.h"
#include "symbol/code/disasm.h"
#include "symbol/table/routines.h"

#include <stdio.h>

#include "check.h"
#include "elf_fixture.h"

/* nop; call 0x1008; jmp 0x1001; (an invalid byte); ret */
static const uint8_t x86[] = { 0x90, 0xe8, 0x02, 0x00, 0x00,
                               0x00, 0xeb, 0xf9, 0x06, 0xc3 };
/* nop; bl 0x1000; ret */
static const uint8_t arm[] = { 0x1f, 0x20, 0x03, 0xd5, 0xff, 0xff,
                               0xff, 0x97, 0xc0, 0x03, 0x5f, 0xd6 };

static const struct fixture_symbol symbols[] = {
    { "_ZN2ns1fEv", 0x1000, 8, STT_FUNC },
    { "g", 0x1008, 2, STT_FUNC },
};

struct text {
    char all[512];
    size_t len;
};

static void on_insn(void *context, uint64_t address, size_t size,
                    const char *insn)
{
    struct text *t = context;

    t->len += (size_t)snprintf(t->all + t->len, sizeof(t->all) - t->len,
                               "%x+%zu %s\n", (unsigned)address, size, insn);
}

static const struct {
    const char *name;
    uint16_t machine;
    const uint8_t *code;
    size_t n;
    uint64_t start, end;
    bool is_intel;
    const char *want;
} rows[] = {
    { "x86-64", EM_X86_64, x86, sizeof(x86), 0x1000, 0x100a, false,
      "1000+1 nop\n1001+5 callq  0x1008 <g>\n"
      "1006+2 jmp    0x1001 <ns::f+0x1>\n1008+1 (bad)\n1009+1 retq\n" },
    { "Intel's syntax", EM_X86_64, x86, sizeof(x86), 0x1001, 0x1006, true,
      "1001+5 call   0x1008 <g>\n" },
    { "end within an instruction", EM_X86_64, x86, sizeof(x86), 0x1000, 0x1003,
      false, "1000+1 nop\n1001+1 (bad)\n1002+1 (bad)\n" },
    { "end behind the code", EM_X86_64, x86, sizeof(x86), 0x1009, 0x2000, false,
      "1009+1 retq\n" },
    { "aarch64", EM_AARCH64, arm, sizeof(arm), 0x1000, 0x100c, false,
      "1000+4 nop\n1004+4 bl     #0x1000 <ns::f>\n1008+4 ret\n" },
};

static void run_row(size_t i)
{
    struct elf_fixture fixture;
    struct cp_elf *e = NULL;
    struct cp_routines r = { 0 };
    struct cp_disasm *d = NULL;
    struct cp_error err = { 0 };
    struct text text = { .len = 0 };

    elf_fixture_init(&fixture, ET_DYN, rows[i].machine, 0x1000, rows[i].code,
                     rows[i].n, symbols, 2);
    if (CHECK(cp_elf_view(&e, fixture.words, fixture.len, &err) == CP_OK) &&
        CHECK(cp_routines_init(&r, e, NULL, &err) == CP_OK))
        d = cp_disasm_new(e, &r, rows[i].is_intel, &err);
    if (CHECK(d != NULL)) {
        CHECK_INT(
            cp_disasm_run(d, rows[i].start, rows[i].end, on_insn, &text, &err),
            CP_OK);
        CHECK_STR(text.all, rows[i].want);
        CHECK_INT(cp_disasm_run(d, 0x9000, 0x9010, on_insn, &text, &err),
                  CP_EFORMAT);
        CHECK_STR(err.msg, "the file has no code at 0x9000");
    } else {
        printf("    %s\n", err.msg);
    }
    cp_disasm_free(d);
    cp_routines_release(&r);
    cp_elf_close(e);
}

static void test_unknown_machine(void)
{
    struct elf_fixture fixture;
    struct cp_elf *e = NULL;
    struct cp_routines r = { 0 };
    struct cp_error err = { 0 };

    elf_fixture_init(&fixture, ET_DYN, 9999, 0x1000, x86, sizeof(x86), symbols,
                     2);
    if (!CHECK(cp_elf_view(&e, fixture.words, fixture.len, &err) == CP_OK))
        return;
    CHECK(!cp_disasm_new(e, &r, false, &err));
    CHECK_STR(err.msg, "cannot disassemble code of machine 9999");
    cp_elf_close(e);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_case(rows[i].name);
        run_row(i);
    }
    RUN(test_unknown_machine);
    return check_failures != 0;
}
