/*
 * test_symbolizer.c - tests src/symbol/symbolizer.c and all its rooms on the
 * small files of fuzz/corpus/dwarf/, which contain the same few functions in
 * every form of DWARF (fuzz/make_elf_seeds).
 */
#include "base/alloc.h"
#include "elf/elf_symbols.h"
#include "symbol/symbolizer.h"

#include <stdlib.h>

#include "check.h"

#define MAX_ADDRESSES 512

/* Files that contain f (line 3) and g (line 4) of /src/a.c. */
static const char *const files[] = {
    "gcc_2",      "gcc_3",        "gcc_4",       "gcc_5",      "clang_2",
    "clang_3",    "clang_4",      "clang_5",     "gcc_64",     "linked_gcc",
    "linked_old", "linked_clang", "packed_zlib", "packed_old", "clang_gmlt",
};

/* The result as text: "twice /src/a.c:1 < four /src/a.c:2 < ...". */
static char answers[MAX_ADDRESSES][1024];

static void take(void *context, size_t index,
                 const struct cp_symbol_frame *frames, size_t n_frames)
{
    char *text = answers[index];
    size_t len = 0;

    (void)context;
    text[0] = 0;
    for (size_t i = 0; i < n_frames; i++)
        len += (size_t)snprintf(
            text + len, sizeof(answers[0]) - len, "%s%s %s:%u", i ? " < " : "",
            frames[i].function ? frames[i].function : "?",
            frames[i].file ? frames[i].file : "?", frames[i].line);
}

static struct cp_symbolizer *open_file(const char *name)
{
    struct cp_symbolizer *s = NULL;
    struct cp_error err = { 0 };
    char path[128];

    (void)snprintf(path, sizeof(path), "fuzz/corpus/dwarf/%s", name);
    if (cp_symbolizer_open(&s, path, NULL, &err) != CP_OK)
        printf("%s: %s\n", path, err.msg);
    return s;
}

/* Finds the addresses of a function by its symbol. */
static size_t addresses_of(struct cp_symbolizer *s, const char *name,
                           uint64_t *out)
{
    struct cp_elf_symbols table;
    struct cp_elf_symbol symbol;
    size_t n = 0;

    if (cp_elf_symbols_init(&table, cp_symbolizer_elf(s), SHT_SYMTAB))
        while (cp_elf_symbols_next(&table, &symbol))
            if (strcmp(symbol.name, name) == 0)
                for (; n < symbol.size && n < MAX_ADDRESSES; n++)
                    out[n] = symbol.value + n;
    return n;
}

/* Returns the last frame of a result. */
static const char *outermost(const char *answer)
{
    const char *found;

    while ((found = strstr(answer, " < ")))
        answer = found + 3;
    return answer;
}

static void test_forms(void)
{
    uint64_t addresses[MAX_ADDRESSES];
    struct cp_error err = { 0 };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct cp_symbolizer *s = open_file(files[i]);
        size_t n, n_deep = 0;

        check_case(files[i]);
        if (!CHECK(s))
            continue;
        n = addresses_of(s, "f", addresses);
        CHECK(n > 0);
        CHECK_INT(cp_symbolizer_resolve(s, addresses, n, take, NULL, &err),
                  CP_OK);
        CHECK_STR(outermost(answers[0]), "f /src/a.c:3");
        n = addresses_of(s, "g", addresses);
        CHECK_INT(cp_symbolizer_resolve(s, addresses, n, take, NULL, &err),
                  CP_OK);
        CHECK_STR(answers[0], "g /src/a.c:4");
        for (size_t k = 0; k < n; k++)
            n_deep += strcmp(answers[k], "twice /src/a.c:1 < four /src/a.c:2 "
                                         "< g /src/a.c:4") == 0;
        CHECK(n_deep > 0);
        CHECK(cp_symbolizer_reason(s) == NULL);
        cp_symbolizer_close(s);
    }
}

/*
 * Single addresses, in reverse order and repeated, give the results of the
 * batch.
 */
static void test_again(void)
{
    static const char *const again[] = { "linked_gcc", "clang_5", "gcc_cpp",
                                         "clang_cpp", "clang_addrx" };
    static char batch[MAX_ADDRESSES][sizeof(answers[0])];

    for (size_t i = 0; i < sizeof(again) / sizeof(again[0]); i++) {
        struct cp_symbolizer *s = open_file(again[i]);
        uint64_t addresses[MAX_ADDRESSES];
        size_t n = 0;

        check_case(again[i]);
        if (!CHECK(s))
            continue;
        for (uint64_t at = 0; n < 256; at += 3)
            addresses[n++] = at;
        for (size_t k = 0; n < MAX_ADDRESSES; k += 5)
            addresses[n++] = 0x1000 + k % 0x800;
        CHECK_INT(cp_symbolizer_resolve(s, addresses, n, take, NULL, NULL),
                  CP_OK);
        memcpy(batch, answers, sizeof(batch));
        for (size_t k = 0; k < 2 * n; k++) {
            uint64_t one = addresses[k % n];

            CHECK_INT(cp_symbolizer_resolve(s, &one, 1, take, NULL, NULL),
                      CP_OK);
            if (!CHECK_STR(answers[0], batch[k % n]))
                break;
            cp_symbolizer_drop_frames(s);
        }
        cp_symbolizer_close(s);
    }
}

static void test_parallel(void)
{
    struct cp_symbolizer_options options = { .is_parallel = true };
    struct cp_symbolizer *s = NULL;
    uint64_t addresses[MAX_ADDRESSES];
    size_t n;

    CHECK_INT(cp_symbolizer_open(&s, "fuzz/corpus/dwarf/linked_clang", &options,
                                 NULL),
              CP_OK);
    n = addresses_of(s, "g", addresses);
    CHECK_INT(cp_symbolizer_resolve(s, addresses, n, take, NULL, NULL), CP_OK);
    CHECK_STR(answers[0], "g /src/a.c:4");
    cp_symbolizer_close(s);
}

/* Without debug information: names, and the reason for missing lines. */
static void test_names_only(void)
{
    struct cp_symbolizer_options options = { .symbols_only = true };
    struct cp_symbolizer *s = open_file("mini");
    uint64_t addresses[MAX_ADDRESSES];
    size_t n;

    check_case("symbols of .gnu_debugdata");
    CHECK(s && cp_symbolizer_reason(s));
    for (size_t i = 0; i < MAX_ADDRESSES; i++)
        addresses[i] = i * 16;
    CHECK_INT(
        cp_symbolizer_resolve(s, addresses, MAX_ADDRESSES, take, NULL, NULL),
        CP_OK);
    n = 0;
    for (size_t i = 0; i < MAX_ADDRESSES; i++)
        n += strcmp(answers[i], "g ?:0") == 0;
    CHECK(n > 0);
    cp_symbolizer_close(s);

    check_case("symbols only");
    CHECK_INT(
        cp_symbolizer_open(&s, "fuzz/corpus/dwarf/linked_gcc", &options, NULL),
        CP_OK);
    n = addresses_of(s, "g", addresses);
    CHECK_INT(cp_symbolizer_resolve(s, addresses, n, take, NULL, NULL), CP_OK);
    CHECK_STR(answers[0], "g ?:0");
    CHECK(cp_symbolizer_reason(s) == NULL);
    cp_symbolizer_close(s);
}

static void test_build_id(void)
{
    uint8_t other[20] = { 1 };
    struct cp_symbolizer_options options = { .build_id = other,
                                             .build_id_len = sizeof(other) };
    struct cp_symbolizer *s = NULL;
    struct cp_error err = { 0 };

    CHECK_INT(
        cp_symbolizer_open(&s, "fuzz/corpus/dwarf/linked_gcc", &options, &err),
        CP_EFORMAT);
    CHECK_STR(err.msg, "build id differs: not the file that was profiled");
    CHECK(!s);
}

/* Each allocation fails once; all failures are handled, and nothing leaks. */
static void test_no_memory(void)
{
    static const char *const some[] = { "linked_gcc", "packed_zlib", "clang_5",
                                        "mini" };

    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
        struct cp_symbolizer_options options = { 0 };
        uint64_t addresses[] = { 0, 0x10, 0x1000, 0x1010, 0x1100 };
        char path[128];
        long n = 0;
        enum cp_status status;

        check_case(some[i]);
        (void)snprintf(path, sizeof(path), "fuzz/corpus/dwarf/%s", some[i]);
        do {
            struct cp_symbolizer *s = NULL;

            cp_alloc_fail_at(++n);
            status = cp_symbolizer_open(&s, path, &options, NULL);
            for (int k = 0; status == CP_OK && k < 3; k++)
                status =
                    cp_symbolizer_resolve(s, addresses, 5, take, NULL, NULL);
            cp_symbolizer_close(s);
            cp_alloc_fail_at(0);
        } while (n < 300);
        CHECK_INT(status, CP_OK);
    }
}

int main(void)
{
    RUN(test_forms);
    RUN(test_again);
    RUN(test_parallel);
    RUN(test_names_only);
    RUN(test_build_id);
    RUN(test_no_memory);
    return check_failures != 0;
}
