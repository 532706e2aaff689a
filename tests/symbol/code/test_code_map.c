/* test_code_map.c - tests src/symbol/code/code_map.c and its readers. */
#include "base/alloc.h"
#include "symbol/code/code_map.h"
#include "symbol/symbolizer.h"

#include <stdlib.h>
#include <sys/auxv.h>

#include "check.h"

static char answer[256];

static void take(void *context, size_t index,
                 const struct cp_symbol_frame *frames, size_t n_frames)
{
    (void)context;
    (void)index;
    answer[0] = 0;
    if (n_frames == 1 && frames[0].file)
        (void)snprintf(answer, sizeof(answer), "%s %s:%u", frames[0].function,
                       frames[0].file, frames[0].line);
    else if (n_frames == 1)
        (void)snprintf(answer, sizeof(answer), "%s", frames[0].function);
}

static const char *ask(struct cp_code_map *m, uint64_t address)
{
    (void)snprintf(answer, sizeof(answer), "(not asked)");
    (void)cp_code_map_resolve(m, &address, 1, take, NULL, NULL);
    return answer;
}

static const struct {
    const char *what, *text;
    uint64_t address;
    const char *want;
} texts[] = {
    { "perf", "1000 20 f\n2000 8 LazyCompile:~g file.js:1\n", 0x1010, "f" },
    { "perf, name with spaces", "1000 20 f\n2000 8 LazyCompile:~g a.js:1\n",
      0x2007, "LazyCompile:~g a.js:1" },
    { "perf, behind the end", "1000 20 f\n", 0x1020, "" },
    { "perf, before the start", "1000 20 f\n", 0xfff, "" },
    { "perf, 0x", "0x1000 0x20 f\n", 0x1001, "f" },
    { "perf, code that was replaced", "1000 20 old\n1000 10 new\n", 0x1005,
      "new" },
    { "perf, what is left of it", "1000 20 old\n1000 10 new\n", 0x1015, "old" },
    { "perf, size that looks like a letter", "1000 a f\n", 0x1009, "f" },
    { "perf, line that is cut", "1000 20 f\n2000 20 cu", 0x2000, "" },
    { "perf, other lines", "\n# x\nzzz\n1000 20 f\n1 2\n", 0x1000, "f" },
    { "kernel",
      "ffffffff81000000 T _text\nffffffff81000100 t g\n"
      "ffffffff81000200 D data\n",
      0xffffffff810000ff, "_text" },
    { "kernel, module", "ffffffff81000000 T a\nffffffffc0000000 t f\t[ext4]\n",
      0xffffffffc0000010, "f [ext4]" },
    { "kernel, type d",
      "0000000000001000 T a\n0000000000002000 d data\n"
      "0000000000003000 T b\n",
      0x2500, "a" },
};

static void test_texts(void)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct cp_code_map *m = NULL;
        struct cp_error err = { 0 };

        check_case(texts[i].what);
        if (!CHECK_INT(cp_code_map_view(&m, texts[i].text,
                                        strlen(texts[i].text), &err),
                       CP_OK)) {
            printf("%s\n", err.msg);
            continue;
        }
        CHECK_STR(ask(m, texts[i].address), texts[i].want);
        cp_code_map_close(m);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *what, *text, *want;
    } cases[] = {
        { "empty", "", "neither a perf map nor jitdump nor kallsyms" },
        { "other text", "hello\nworld\n",
          "neither a perf map nor jitdump nor kallsyms" },
        { "hidden kernel", "0000000000000000 T _text\n0000000000000000 t f\n",
          "the kernel hides its addresses: read it as root, or set "
          "kernel.kptr_restrict" },
        { "jitdump cut", "DTiJ\1\0\0\0", "jitdump header is truncated" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_code_map *m = NULL;
        struct cp_error err = { 0 };
        size_t len = strlen(cases[i].text);

        check_case(cases[i].what);
        CHECK_INT(cp_code_map_view(&m, cases[i].text, len, &err), CP_EFORMAT);
        CHECK_STR(err.msg, cases[i].want);
        CHECK(!m);
    }
}

/* Builds a jitdump file. */
static unsigned char dump[1024];
static size_t dump_len;

static void put(uint64_t value, size_t size)
{
    memcpy(dump + dump_len, &value, size);
    dump_len += size;
}

static void put_text(const char *text)
{
    memcpy(dump + dump_len, text, strlen(text) + 1);
    dump_len += strlen(text) + 1;
}

/* Writes the head of a record; close_record sets its size. */
static size_t open_record(uint32_t kind)
{
    size_t start = dump_len;

    put(kind, 4);
    put(0, 4);
    put(123, 8);
    return start;
}

static void close_record(size_t start)
{
    uint32_t size = (uint32_t)(dump_len - start);

    memcpy(dump + start + 4, &size, 4);
}

static void put_load(uint64_t address, uint64_t size, const char *name)
{
    size_t start = open_record(0);

    put(1, 4);
    put(1, 4);
    put(address, 8);
    put(address, 8);
    put(size, 8);
    put(7, 8);
    put_text(name);
    put(0x90, 1);
    close_record(start);
}

static void make_dump(void)
{
    size_t start;

    dump_len = 0;
    put(0x4a695444, 4);
    put(1, 4);
    put(40, 4);
    put(62, 4);
    put(0, 8);
    put(0, 8);
    put(0, 8);
    start = open_record(2);
    put(0x1000, 8);
    put(3, 8);
    put(0x1000, 8);
    put(5, 4);
    put(0, 4);
    put_text("a.js");
    put(0x1008, 8);
    put(6, 4);
    put(0, 4);
    put_text("\xff");
    put(0x1010, 8);
    put(9, 4);
    put(0, 4);
    put_text("b.js");
    close_record(start);
    put_load(0x1000, 0x20, "f");
    put_load(0x2000, 0x20, "g");
    start = open_record(1);
    put(1, 4);
    put(1, 4);
    put(0, 8);
    put(0x2000, 8);
    put(0x3000, 8);
    put(0x20, 8);
    put(7, 8);
    close_record(start);
}

static void test_jitdump(void)
{
    struct cp_code_map *m = NULL;

    make_dump();
    CHECK_INT(cp_code_map_view(&m, dump, dump_len, NULL), CP_OK);
    CHECK_STR(ask(m, 0x1000), "f a.js:5");
    CHECK_STR(ask(m, 0x100f), "f a.js:6");
    CHECK_STR(ask(m, 0x101f), "f b.js:9");
    CHECK_STR(ask(m, 0x1020), "");
    CHECK_STR(ask(m, 0x2005), "g");
    CHECK_STR(ask(m, 0x3005), "g");
    cp_code_map_close(m);
    for (size_t cut = 0; cut < dump_len; cut++) {
        m = NULL;
        if (cp_code_map_view(&m, dump, cut, NULL) == CP_OK)
            CHECK_STR(ask(m, 0x1000), "f a.js:5");
        cp_code_map_close(m);
    }
}

static void test_no_memory(void)
{
    int n_refused = 0, n_good = 0;

    for (long n = 1; n < 20; n++) {
        struct cp_code_map *m = NULL;
        enum cp_status status;

        make_dump();
        cp_alloc_fail_at(n);
        status = cp_code_map_view(&m, dump, dump_len, NULL);
        if (status == CP_OK)
            (void)ask(m, 0x1000);
        cp_alloc_fail_at(0);
        if (status == CP_OK)
            CHECK_STR(ask(m, 0x1000), "f a.js:5");
        else
            CHECK(status == CP_ENOMEM && !m);
        n_refused += status == CP_ENOMEM;
        n_good += status == CP_OK;
        cp_code_map_close(m);
    }
    CHECK(n_refused > 0);
    CHECK(n_good > 0);
}

/* The vDSO of this process, read from memory. */
static void test_vdso(void)
{
    const char *base = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned long from, to, len = 0;
    struct cp_symbolizer *s = NULL;
    int n_named = 0;

    while (maps && fgets(line, sizeof(line), maps))
        if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &from, &to) == 2)
            len = to - from;
    if (maps)
        (void)fclose(maps);
    if (!base || !len)
        return;
    CHECK_INT(cp_symbolizer_view(&s, base, len, NULL, NULL), CP_OK);
    for (uint64_t at = 0; at < len; at += 16) {
        CHECK_INT(cp_symbolizer_resolve(s, &at, 1, take, NULL, NULL), CP_OK);
        n_named += strstr(answer, "time") != NULL;
    }
    CHECK(n_named > 0);
    cp_symbolizer_close(s);
}

int main(void)
{
    RUN(test_texts);
    RUN(test_refused);
    RUN(test_jitdump);
    RUN(test_no_memory);
    RUN(test_vdso);
    return check_failures != 0;
}
