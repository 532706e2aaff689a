/* test_perf_map.c - tests src/symbol/perf_map.c. */
#include "symbol/perf_map.h"

#include "check.h"

static char text[] = "7f0000001000 20 first\n"
                     "7f0000001020 10 LazyCompile:*f /a b.js:1:2\n"
                     "nonsense\n"
                     "7f0000001040 zz bad size\n"
                     "7f0000001040 0 empty\n"
                     "7f0000001050 10\n"
                     "7f0000001000 8 again\n"
                     "7f0000002000 1000 large\r\n"
                     "7f0000002100 10 inside\n"
                     "7f0000003000 10 not yet whole";

static const struct {
    uint64_t address;
    const char *name;
} rows[] = {
    { 0, NULL },
    { 0x7f0000000fff, NULL },
    { 0x7f0000001000, "again" },
    { 0x7f0000001007, "again" },
    { 0x7f0000001008, "first" },
    { 0x7f000000101f, "first" },
    { 0x7f0000001020, "LazyCompile:*f /a b.js:1:2" },
    { 0x7f0000001030, NULL },
    { 0x7f0000001040, NULL },
    { 0x7f0000001050, NULL },
    { 0x7f0000002105, "inside" },
    { 0x7f0000002110, "large" },
    { 0x7f0000003000, NULL },
    { UINT64_MAX, NULL },
};

static void test_names(void)
{
    CHECK(cp_perf_map_is_one("/tmp/perf-12.map"));
    CHECK(cp_perf_map_is_one("perf-1.map"));
    CHECK(!cp_perf_map_is_one("/tmp/perf-.map"));
    CHECK(!cp_perf_map_is_one("/tmp/perf-12.mapx"));
    CHECK(!cp_perf_map_is_one("/tmp/perf-12/x.map"));
    CHECK(!cp_perf_map_is_one(""));
}

static void test_missing(void)
{
    struct cp_perf_map *m = NULL;

    CHECK_INT(cp_perf_map_open(&m, "/nonexistent/perf-1.map", NULL), CP_EIO);
    CHECK(m == NULL);
    cp_perf_map_close(NULL);
}

int main(void)
{
    struct cp_perf_map *m = NULL;

    RUN(test_names);
    RUN(test_missing);
    check_case("find");
    if (!CHECK(cp_perf_map_read(&m, text, sizeof(text) - 1, NULL) == CP_OK))
        return 1;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        CHECK_STR(cp_perf_map_find(m, rows[i].address), rows[i].name);
    cp_perf_map_close(m);
    return check_failures != 0;
}
