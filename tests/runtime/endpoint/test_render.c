/* test_render.c - the same small profile in every form. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/out.h"
#include "profile/load/load.h"
#include "profile/model/build.h"
#include "runtime/endpoint/render.h"
#include "runtime/kind/kind.h"
#include "runtime/symbolize/symbols.h"

#include <stdlib.h>

#include "check.h"

static uint64_t here(void)
{
    return (uint64_t)(uintptr_t)here;
}

/* Two stacks; the second has a frame that is named already. */
static struct cp_profile *make(void)
{
    struct cp_builder b = { 0 };
    struct cp_error err = { 0 };
    struct cp_function lost = { 0 };
    int64_t small[2] = { 1, 10 }, large[2] = { 5, 50 };
    struct cp_label label = { .num = 0 };
    uint32_t locs[2], set;

    (void)cp_builder_init(&b, &err);
    (void)cp_builder_type(&b, "contentions", "count", &err);
    (void)cp_builder_type(&b, "delay", "nanoseconds", &err);
    (void)cp_builder_period(&b, "contentions", "count", 1, &err);
    locs[0] = cp_builder_location(&b, here() + 4, &err);
    locs[1] = cp_builder_location(&b, 0x10, &err);
    label.key = cp_builder_str(&b, "k\"", 2, &err);
    label.str = cp_builder_str(&b, "a\nb", 3, &err);
    set = cp_builder_label_set(&b, &label, 1, &err);
    (void)cp_builder_sample(&b, locs, 2, small, set, &err);
    lost.name = lost.system_name = cp_builder_str(&b, "[lost]", 6, &err);
    locs[0] = cp_builder_location(&b, 0, &err);
    (void)cp_builder_line(
        &b, locs[0],
        (struct cp_line){ .function = cp_builder_function(&b, lost, &err) },
        &err);
    (void)cp_builder_sample(&b, locs, 1, large, 0, &err);
    (void)cp_builder_sample(&b, locs, 0, large, 0, &err); /* no stack */
    CHECK_INT(err.status, CP_OK);
    return cp_builder_take(&b);
}

static const struct cp_kind mutex = { .name = "mutex",
                                      .text = CP_KIND_TEXT_MUTEX };
static const struct cp_kind count = { .name = "count",
                                      .text = CP_KIND_TEXT_COUNT };

static void test_text(void)
{
    struct cp_symbols *symbols = cp_symbols_new(NULL);
    struct cp_renderer r = { .kind = &mutex, .symbols = symbols, .debug = 1 };
    struct cp_profile *p = make();
    struct cp_out out = { .fd = -1 };
    char want[300];

    CHECK_INT(cp_render_text(&r, p, &out, NULL), CP_OK);
    cp_out_char(&out, '\0');
    (void)snprintf(want, sizeof(want),
                   "--- mutex:\ncycles/second=1000000000\nsampling period=1\n"
                   "50 5 @ 0x1\n#\t0x0\t[lost]\n\n"
                   "10 1 @ 0x%llx 0x11\n"
                   "# labels: {\"k\\\"\":\"a\\u000ab\"}\n#\t0x%llx\there",
                   (unsigned long long)here() + 5,
                   (unsigned long long)here() + 4);
    CHECK(strncmp(out.buf, want, strlen(want)) == 0);
    CHECK(strstr(out.buf, "\n#\t0x10\n\n--- Memory map: ---\n"));
    CHECK(strstr(out.buf, "test_render\n"));
    cp_out_release(&out);
    cp_profile_free(p);
    cp_symbols_free(symbols);
}

static void test_threads(void)
{
    struct cp_renderer r = { .kind = &count, .debug = 2 };
    struct cp_profile *p = make();
    struct cp_out out = { .fd = -1 };

    CHECK_INT(cp_render_text(&r, p, &out, NULL), CP_OK);
    cp_out_char(&out, '\0');
    CHECK(strncmp(out.buf, "goroutine 0 [unknown, locked to thread]:\n", 41) ==
          0);
    cp_out_release(&out);
    cp_profile_free(p);
}

/* One thread in two functions, of `file` and of a header. */
static struct cp_profile *make_in(const char *file)
{
    struct cp_builder b = { 0 };
    struct cp_error err = { 0 };
    const char *files[2] = { "defs.h", file };
    int64_t one = 1;
    uint32_t locs[2];

    (void)cp_builder_init(&b, &err);
    (void)cp_builder_type(&b, "count", "count", &err);
    for (uint32_t i = 0; i < 2; i++) {
        struct cp_function f = { 0 };

        f.name = f.system_name = cp_builder_str(&b, "work", 4, &err);
        f.filename = cp_builder_str(&b, files[i], strlen(files[i]), &err);
        locs[i] = cp_builder_location(&b, 0x10 + i, &err);
        (void)cp_builder_line(
            &b, locs[i],
            (struct cp_line){ .function = cp_builder_function(&b, f, &err),
                              .line = 7 },
            &err);
    }
    (void)cp_builder_sample(&b, locs, 2, &one, 0, &err);
    CHECK_INT(err.status, CP_OK);
    return cp_builder_take(&b);
}

/* Of a C program, what strict readers of Go's dumps take; else all names. */
static void test_dump_files(void)
{
    static const char *const cases[][2] = {
        { "a.c", "work(...)\n\t??:7\nwork(...)\n\ta.c:7\n" },
        { "clone.S", "work(...)\n\t??:7\nwork(...)\n\t??:7\n" },
        { "", "work(...)\n\t??:7\nwork(...)\n\t??:7\n" },
        { "a.cc", "work(...)\n\tdefs.h:7\nwork(...)\n\ta.cc:7\n" },
        { "lib.rs", "work(...)\n\tdefs.h:7\nwork(...)\n\tlib.rs:7\n" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_renderer r = { .kind = &count, .debug = 2 };
        struct cp_profile *p = make_in(cases[i][0]);
        struct cp_out out = { .fd = -1 };

        CHECK_INT(cp_render_text(&r, p, &out, NULL), CP_OK);
        cp_out_char(&out, '\0');
        CHECK(strstr(out.buf, cases[i][1]));
        cp_out_release(&out);
        cp_profile_free(p);
    }
}

/* What our own reader makes of the protobuf. */
static void test_protobuf(void)
{
    struct cp_symbols *symbols = cp_symbols_new(NULL);
    struct cp_renderer r = { .kind = &mutex, .symbols = symbols };
    struct cp_profile *p = make(), *back;
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };
    struct cp_bytes file = { 0 };

    CHECK_INT(cp_render_protobuf(&r, p, &out, &err), CP_OK);
    CHECK_INT(cp_bytes_reserve(&file, out.len, &err), CP_OK);
    memcpy(file.data, out.buf, out.len);
    file.len = out.len;
    back = cp_load(&file, &err);
    if (CHECK(back)) {
        const struct cp_location *l = &back->locations[0];

        CHECK_INT(back->n_samples, 3);
        CHECK(back->n_mappings >= 1 && l->mapping == 0 && l->n_lines >= 1);
        CHECK_STR(
            cp_profile_cstr(
                back, back->functions[back->lines[l->lines].function].name),
            "here");
        CHECK_INT(back->n_comments, 1);
    }
    cp_profile_free(back);
    cp_bytes_release(&file);
    cp_out_release(&out);
    cp_profile_free(p);
    cp_symbols_free(symbols);
}

/* Memory that runs out anywhere is an error, and nothing is lost. */
static void test_no_memory(void)
{
    struct cp_symbols *symbols = cp_symbols_new(NULL);
    struct cp_renderer r = { .kind = &mutex, .symbols = symbols };
    int n_failed = 0;

    for (long n = 1; n < 2000; n += 1 + n / 20) {
        struct cp_profile *p = make();
        struct cp_out out = { .fd = -1 };
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        if (cp_render_protobuf(&r, p, &out, &err) != CP_OK) {
            n_failed++;
            CHECK(err.status != CP_OK);
        }
        cp_alloc_fail_at(0);
        cp_out_release(&out);
        cp_profile_free(p);
    }
    CHECK(n_failed > 0);
    cp_symbols_free(symbols);
}

int main(void)
{
    RUN(test_text);
    RUN(test_threads);
    RUN(test_dump_files);
    RUN(test_protobuf);
    RUN(test_no_memory);
    return check_failures != 0;
}
