/* test_objects - loaded and unloaded objects, and generated code. */
#include "signal/tables/readers.h"
#include "signal/unwinder/unwind_table.h"
#include "unwind/cfi_rows.h"
#include "unwind/code_ranges.h"
#include "unwind/objects.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "check.h"

/* A library of libc6 that no test loads otherwise. */
#define SOME_LIBRARY "libBrokenLocale.so.1"

static const struct cp_unwind_module *find(uintptr_t pc)
{
    return cp_unwind_table_find(cp_unwind_table_current(), pc);
}

static void test_known_objects(struct cp_objects *o)
{
    struct cp_objects_stats stats;
    struct cp_error err;

    CHECK(find((uintptr_t)qsort) == NULL);
    CHECK(cp_objects_refresh(o, true, &err) == CP_OK);
    cp_objects_stats(o, &stats);
    CHECK(stats.n_objects >= 3); /* the program, libc, ld.so, the vDSO */
    CHECK_INT(stats.n_without, 0);
    CHECK(stats.n_rows > 10000);
    CHECK(stats.bytes < 16 * stats.n_rows);
    CHECK(find((uintptr_t)qsort) && find((uintptr_t)qsort)->pcs);
    CHECK(find((uintptr_t)find) && find((uintptr_t)find)->pcs);
    CHECK(find((uintptr_t)&stats) == NULL);
    CHECK(cp_cfi_rows_count() > 10 && cp_cfi_rows_count() < 10000);
}

static void test_unchanged(struct cp_objects *o)
{
    const struct cp_unwind_table *before = cp_unwind_table_current();
    struct cp_error err;

    CHECK(cp_objects_refresh(o, true, &err) == CP_OK);
    CHECK(cp_unwind_table_current() == before);
}

static void test_library(struct cp_objects *o)
{
    void *library = dlopen(SOME_LIBRARY, RTLD_NOW);
    struct cp_objects_stats before, after, gone;
    struct cp_error err;
    uintptr_t pc;

    if (!CHECK(library != NULL))
        return;
    pc = (uintptr_t)dlsym(library, "__ctype_get_mb_cur_max");
    CHECK(pc != 0 && find(pc) == NULL);
    cp_objects_stats(o, &before);
    CHECK(cp_objects_refresh(o, false, &err) == CP_OK);
    cp_objects_stats(o, &after);
    CHECK_INT(after.n_objects, before.n_objects + 1);
    CHECK(find(pc) && find(pc)->pcs);
    CHECK(dlclose(library) == 0);
    CHECK(cp_objects_refresh(o, false, &err) == CP_OK);
    cp_objects_stats(o, &gone);
    CHECK_INT(gone.n_objects, before.n_objects);
    CHECK_INT(gone.bytes, before.bytes);
    CHECK(find(pc) == NULL);
}

static void test_generated_code(struct cp_objects *o)
{
    void *code = mmap(NULL, 8192, PROT_READ | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t pc = (uintptr_t)code + 5000;
    struct cp_error err;

    CHECK(find(pc) == NULL);
    CHECK(cp_objects_refresh(o, false, &err) == CP_OK);
    CHECK(find(pc) == NULL);
    CHECK(cp_objects_refresh(o, true, &err) == CP_OK);
    CHECK(find(pc) && !find(pc)->pcs);
    CHECK(munmap(code, 8192) == 0);
    CHECK(cp_objects_refresh(o, true, &err) == CP_OK);
    CHECK(find(pc) == NULL);
}

static void test_small_budget(void)
{
    struct cp_error err;
    struct cp_objects *o = cp_objects_new(1, &err);
    struct cp_objects_stats stats;

    CHECK(cp_objects_refresh(o, false, &err) == CP_OK);
    cp_objects_stats(o, &stats);
    CHECK(stats.n_without >= stats.n_objects - 1);
    CHECK(find((uintptr_t)qsort) && !find((uintptr_t)qsort)->pcs);
    cp_objects_free(o);
    CHECK(find((uintptr_t)qsort) == NULL);
}

static void test_code_ranges(void)
{
    struct cp_code_ranges r = { 0 };
    uintptr_t pc = (uintptr_t)find;
    struct cp_error err;
    size_t n_with = 0;

    CHECK(cp_code_ranges_read(&r, &err) == CP_OK);
    for (size_t i = 0; i < r.n; i++) {
        n_with += pc >= r.ranges[i].start && pc < r.ranges[i].end;
        CHECK(i == 0 || r.ranges[i - 1].end <= r.ranges[i].start);
        CHECK(!((uintptr_t)&r >= r.ranges[i].start &&
                (uintptr_t)&r < r.ranges[i].end));
    }
    CHECK_INT(n_with, 1);
    cp_code_ranges_release(&r);
}

int main(void)
{
    struct cp_error err = { 0 };
    struct cp_objects *o = cp_objects_new((size_t)64 << 20, &err);

    check_case("objects");
    test_known_objects(o);
    test_unchanged(o);
    check_case("library");
    test_library(o);
    check_case("generated code");
    test_generated_code(o);
    cp_objects_free(o);
    RUN(test_small_budget);
    RUN(test_code_ranges);
    return check_failures != 0;
}
